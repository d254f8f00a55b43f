// The connections of people at other terminals (lab/commands): one command each and its answer, or
// the capture as it grows, for whoever watches. A watcher is a place in capture.bin: however slow
// he is, he costs no memory and delays nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/host/frame_stream.h"
#include "common/host/process_log.h"
#include "proto/clock.pb.h"

namespace fencepost::clock {

using OperatorId = std::uint64_t;  // counts their connections

class Operators {
 public:
  static constexpr std::size_t kMaxOperators = 256;

  using OnCommand = std::function<void(OperatorId from, const wire::Command& command)>;

  Operators(ProcessLog& log, std::string capture_path, OnCommand on_command);

  // Takes a connection by its first message. Returns why not, or empty.
  std::string admit(const std::shared_ptr<FrameStream>& stream, const wire::Command& command);
  // Answers, and the connection is done with. Nothing if the operator has left.
  void reply(OperatorId to, wire::Reply reply);
  // From now on this one is shown the capture, from its beginning.
  void watch(OperatorId who);

  bool has_watchers() const;
  // Sends to the watchers what the file has and they lack. The capture is flushed.
  void show();
  // The run is over: shows the rest and hangs up.
  void end();
  bool is_empty() const { return operators_.empty(); }
  // Called when somebody hangs up behind end().
  void on_farewell(std::function<void()> then) { farewell_ = std::move(then); }

 private:
  struct Operator {
    std::shared_ptr<FrameStream> stream;
    bool watches = false;
    std::uint64_t shown = 0;      // bytes of the capture
    bool is_full = false;         // goes on when its queue is empty
    bool has_up_to_date = false;  // the last chunk said so
  };

  void show_to(OperatorId id);
  bool send_chunk(Operator& watcher);
  void forget(OperatorId id);

  ProcessLog& log_;
  std::string capture_path_;
  OnCommand on_command_;
  bool ended_ = false;
  OperatorId next_id_ = 1;
  std::map<OperatorId, Operator> operators_;
  std::function<void()> farewell_ = [] {};
};

}  // namespace fencepost::clock
