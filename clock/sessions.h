// The clock's connections: who is at the other end of each, from its first message to its last.
// Turns bytes into messages of identified participants, and closes what does not belong here with
// one line.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clock/core/participant.h"
#include "common/host/frame_stream.h"
#include "common/host/process_log.h"
#include "proto/clock.pb.h"

namespace fencepost::clock {

// What the sessions tell the service. Each may be called from the event loop only.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  // Returns why it cannot be taken; empty if it waits to join from now on.
  virtual std::string on_hello(const wire::Hello& hello) = 0;
  virtual void on_hello_withdrawn(const std::string& name) = 0;
  // Done, Need or Closing. False: it does not belong here, and the connection is closed.
  virtual bool on_message(const ParticipantId& from, wire::ClockMessage& message) = 0;
  virtual void on_gone(const ParticipantId& who) = 0;
  virtual void on_runner() = 0;
  virtual void on_observed(const wire::Observed& observed) = 0;
  virtual void on_runner_gone() = 0;
  // Behind end(): somebody has hung up.
  virtual void on_farewell() = 0;
};

class Sessions {
 public:
  static constexpr std::size_t kMaxSessions = 4096;
  // For the name to become free (DESIGN 3).
  static constexpr std::chrono::seconds kHelloPatience{5};

  Sessions(asio::io_context& context, ProcessLog& log, SessionEvents& events);

  // Takes a connection whose first message is a Hello or a RunnerHello. Returns why not; a process
  // that is refused for what it says has been told so itself, and the connection is done with.
  std::string admit(const std::shared_ptr<FrameStream>& stream, const wire::ClockMessage& message);
  // From now on every Welcome has this (proto/clock.proto).
  void set_secret(std::string secret) { secret_ = std::move(secret); }

  // The waiting process of this name is a participant from now on.
  void welcome(const ParticipantId& who, const wire::Welcome& welcome);
  // Adds the addresses of servers that this participant has not been told yet.
  void grant(const ParticipantId& to, wire::Grant grant);
  void supply(const ParticipantId& to, wire::Supply supply);
  void tell_runner(const wire::ClockMessage& message);
  // Writes everything that the calls above have queued.
  void flush();

  // The waiting process of this name is refused.
  void turn_away(const std::string& name, const std::string& reason);

  // Tells everybody that the run is over and takes nothing new.
  void end(const std::string& reason, const wire::Status& status);
  // Who has not hung up yet, those named left out: a stopped process cannot.
  bool is_empty_but(const std::set<std::string>& names) const;

  bool has_runner() const { return runner_.has_value(); }
  // The pid that the participant has given; nothing if there is no such participant.
  std::optional<std::int64_t> pid_of(const ParticipantId& who) const;
  // Who has said Hello and is not welcome yet, by name.
  std::vector<const wire::Hello*> waiting() const;
  // The participant of this name, if one is connected.
  std::optional<ParticipantId> active(const std::string& name) const;

 private:
  using Key = std::uint64_t;  // counts the connections
  enum class Stage { kWaiting, kActive, kRunner };
  struct Session {
    std::shared_ptr<FrameStream> stream;
    Stage stage = Stage::kWaiting;
    wire::Hello hello;
    ParticipantId id;
    std::size_t peers_told = 0;                    // of servers_
    std::unique_ptr<asio::steady_timer> patience;  // while waiting
  };

  std::string admit_process(const std::shared_ptr<FrameStream>& stream, wire::Hello hello);
  std::string objection_to(const wire::Hello& hello) const;
  Key take_in(const std::shared_ptr<FrameStream>& stream);
  void refuse(const std::shared_ptr<FrameStream>& stream, const std::string& name,
              const std::string& reason);
  void on_bytes(Key key, std::string_view bytes);
  void wait_for_name(Key key);
  void on_closed(Key key, const std::string& reason);
  void reject(Key key, const std::string& reason);
  void forget(Key key);
  void send(Session& session, const wire::ClockMessage& message);
  Session* find(const ParticipantId& who);

  asio::io_context& context_;
  ProcessLog& log_;
  SessionEvents& events_;
  std::string secret_;
  bool ended_ = false;
  Key next_key_ = 1;
  std::map<Key, Session> sessions_;
  std::map<std::string, Key> waiting_;  // by name
  std::map<std::string, Key> active_;   // by name
  std::optional<Key> runner_;
  std::vector<wire::PeerAddress> servers_;  // in the order in which they were welcomed
  std::vector<std::shared_ptr<FrameStream>> to_flush_;
  wire::ClockMessage incoming_;  // reused: parsing keeps its memory
  wire::ClockMessage outgoing_;
};

}  // namespace fencepost::clock
