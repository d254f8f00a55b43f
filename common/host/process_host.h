// One node as a process (DESIGN 3): takes part in the clock's ticks, exchanges frames with peers,
// makes what the node stores durable, and knows nothing about what the node does.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/host/frame_cache.h"
#include "common/host/frame_stream.h"
#include "common/host/peers.h"
#include "common/host/process_log.h"
#include "common/host/row_store.h"
#include "common/node.h"
#include "proto/clock.pb.h"

namespace fencepost {

struct ProcessOptions {
  std::string name;
  std::string clock_address;                  // host:port
  std::optional<std::string> listen_address;  // host:port; absent: accepts no connections
  std::optional<std::string> data_file;       // absent: what the node stores is not kept
  std::chrono::milliseconds connect_timeout{5000};
  Properties properties;
};

// How a process ends when its node does not say it.
inline constexpr int kExitLostClock = 1;
inline constexpr int kExitRefused = 2;
inline constexpr int kExitBug = 70;

class ProcessHost {
 public:
  // `options` are complete and checked. The addresses need not be: run() says what is wrong.
  ProcessHost(ProcessOptions options, NodeFactory factory, ProcessLog& log);

  // Runs until the node ends, the run ends or the clock is lost. Returns the exit code.
  int run();
  const Properties& properties() const { return options_.properties; }

 private:
  struct OpenGrant {
    Tick tick;
    std::vector<Delivery> inbox;              // with a null frame where one is missing
    std::map<FrameKey, std::size_t> missing;  // to the place in the inbox
    std::chrono::steady_clock::time_point since;
    bool asked = false;  // a Need has been sent
  };

  bool connect_to_clock();
  void say_hello();
  void wait_for_sigterm();
  void on_message(std::string_view bytes);
  void on_welcome(const wire::Welcome& welcome);
  bool open_storage(const wire::Welcome& welcome, NodeContext& context);
  void on_grant(wire::Grant& grant);
  void on_frame(std::shared_ptr<const wire::Frame> frame);
  void pull_missing();
  void wait_for_connections(int turns);
  void ask_for_missing();
  void ask_if_late();
  void step();
  void tell_clock(const wire::ClockMessage& message);
  void send_frames(std::vector<wire::Emission>& emissions);
  void report_closing();
  void finish(int exit_code);

  ProcessOptions options_;
  NodeFactory factory_;
  ProcessLog& log_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  asio::steady_timer late_;
  bool late_armed_ = false;
  Peers peers_;
  FrameCache cache_;
  std::shared_ptr<FrameStream> clock_;
  std::optional<std::string> own_address_;
  std::optional<RowStore> store_;
  std::unique_ptr<Node> node_;  // null before Welcome
  std::optional<OpenGrant> grant_;
  bool pulling_ = false;         // frames come from inside pull_missing()
  wire::ClockMessage incoming_;  // reused: parsing keeps its memory
  bool close_requested_ = false;
  std::optional<int> exit_code_;
};

}  // namespace fencepost
