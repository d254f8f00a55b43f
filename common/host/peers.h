// The connections of one participant to others: it calls servers at the addresses that Grants tell,
// and is called if it listens. Requests go out on calls of its own; answers go back on the call
// that they came by. Everything here is best effort: what is lost, the clock supplies (DESIGN 3).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/host/doorway.h"
#include "common/host/frame_stream.h"
#include "common/host/process_log.h"
#include "common/ids.h"
#include "proto/clock.pb.h"

namespace fencepost {

class Peers {
 public:
  // Outgoing bytes that may wait for one peer, e.g. a stopped one; what comes on top is dropped.
  static constexpr std::size_t kMaxQueuedBytes = std::size_t{32} << 20U;

  using OnFrame = std::function<void(std::shared_ptr<const wire::Frame>)>;
  using OnLost = std::function<void()>;  // a connection has ended: frames may be missing

  Peers(asio::io_context& context, ProcessLog& log, std::string name, OnFrame on_frame,
        OnLost on_lost);

  // Binds and returns the address; calls are taken from begin() on. Throws std::runtime_error.
  std::string listen(const std::string& address) { return doorway_.listen(address); }
  // This participant is welcome. Who calls, and whom it calls, knows the secret of the run.
  void begin(Incarnation incarnation, std::string secret);

  // Where a server listens, or where its next incarnation does.
  void learn(const wire::PeerAddress& peer);
  // Queues a frame to whom it is addressed; drops it if there is no way. Its content is unchanged.
  void send(wire::Frame& frame);
  // Writes what is queued.
  void flush();

  // Frames are taken when asked for: those of a sender that have come, from inside this call; or,
  // of all senders watched until rest(), as they come.
  void pull(const std::string& name, Incarnation incarnation);
  void watch(const std::string& name, Incarnation incarnation);
  void rest();

  // Is there a connection by which frames of this sender come?
  bool is_connected(const std::string& name, Incarnation incarnation) const;

 private:
  struct Server {
    Incarnation incarnation;
    std::string address;
    std::shared_ptr<FrameStream> stream;  // null: not called yet, or the call has ended
  };
  using Caller = std::uint64_t;  // counts the connections that were accepted
  struct Inbound {
    std::string name;
    Incarnation incarnation;
    std::shared_ptr<FrameStream> stream;
  };

  std::string introduce(const std::shared_ptr<FrameStream>& stream, std::string_view bytes);
  void on_message_of(Caller caller, std::string_view bytes);
  void drop(Caller caller, const std::string& reason);
  void call(const std::string& name, Server& server);
  void on_answer(const std::string& from, std::string_view bytes);
  std::shared_ptr<FrameStream> way_to(const wire::Header& header);
  std::shared_ptr<FrameStream> way_from(const std::string& name, Incarnation incarnation) const;
  void forget_predecessors(const Inbound& inbound);

  asio::io_context& context_;
  ProcessLog& log_;
  std::string name_;
  Incarnation incarnation_;
  std::string secret_;
  OnFrame on_frame_;
  OnLost on_lost_;
  Doorway doorway_;
  Caller next_caller_ = 1;
  std::map<Caller, Inbound> callers_;
  std::map<std::pair<std::string, Incarnation>, Caller> callers_by_id_;
  std::map<std::string, Server> servers_;
  std::vector<std::shared_ptr<FrameStream>> to_flush_;
  std::vector<std::shared_ptr<FrameStream>> watched_;
  wire::PeerMessage outgoing_;
};

}  // namespace fencepost
