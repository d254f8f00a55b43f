#include "common/host/process_host.h"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include "common/check.h"
#include "common/host/address.h"
#include "common/host/event_log.h"
#include "common/host/pid_space.h"
#include "common/row_digest.h"

namespace fencepost {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kConnectPause{20};
constexpr int kTurnsToConnect = 4;  // of the event loop: accept, read the PeerHello, read the frame
constexpr std::chrono::milliseconds kNeedDelay{20};  // alters no outcome (DESIGN 3)

wire::Hello hello_of(const ProcessOptions& options, const std::optional<std::string>& address) {
  wire::Hello hello;
  hello.set_name(options.name);
  hello.set_role(std::string(to_string(options.properties.role())));
  hello.set_pid(getpid());
  hello.set_pid_space(own_pid_space());
  if (address) hello.set_listen_address(*address);
  for (const auto& [name, value] : options.properties.explicit_values()) {
    wire::Property* property = hello.add_properties();
    property->set_name(name);
    property->set_value(value);
  }
  return hello;
}

}  // namespace

ProcessHost::ProcessHost(ProcessOptions options, NodeFactory factory, ProcessLog& log)
    : options_(std::move(options)),
      factory_(factory),
      log_(log),
      signals_(context_, SIGTERM),
      late_(context_),
      peers_(
          context_, log_, options_.name,
          [this](std::shared_ptr<const wire::Frame> frame) { on_frame(std::move(frame)); },
          [this] {
            if (grant_ && !grant_->asked && !pulling_) wait_for_connections(0);
          }) {}

int ProcessHost::run() {
  raise_file_limit();
  wait_for_sigterm();
  try {
    if (options_.listen_address) {
      own_address_ = peers_.listen(*options_.listen_address);
    }
  } catch (const std::runtime_error& error) {
    log_->error("{}", error.what());
    return kExitRefused;
  }
  if (!connect_to_clock()) return kExitLostClock;
  say_hello();
  context_.run();
  return exit_code_.value_or(kExitLostClock);
}

// The clock may still be starting. Blocks: there is nothing else to do yet.
bool ProcessHost::connect_to_clock() {
  const auto deadline = steady_clock::now() + options_.connect_timeout;
  std::string why;
  try {
    const tcp::endpoint endpoint = resolve_address(context_, options_.clock_address);
    do {
      tcp::socket socket(context_);
      boost::system::error_code error;
      socket.connect(endpoint, error);
      if (!error) {
        clock_ = std::make_shared<FrameStream>(std::move(socket));
        return true;
      }
      why = error.message();
      std::this_thread::sleep_for(kConnectPause);
    } while (steady_clock::now() < deadline);
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  log_->error("cannot reach the clock at {}: {}", options_.clock_address, why);
  return false;
}

void ProcessHost::say_hello() {
  clock_->start([this](std::string_view bytes) { on_message(bytes); },
                [this](const std::string& reason) {
                  if (exit_code_) return;
                  log_->error("lost the clock at {}: {}", options_.clock_address, reason);
                  finish(kExitLostClock);
                });
  clock_->set_limit(kMaxStepBytes);
  wire::ClockMessage message;
  *message.mutable_hello() = hello_of(options_, own_address_);
  tell_clock(message);
}

// ---- SIGTERM ----

// It reaches the process at a racy moment: the clock decides when the node hears of it.
void ProcessHost::wait_for_sigterm() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    close_requested_ = true;
    if (node_) report_closing();
    wait_for_sigterm();
  });
}

void ProcessHost::report_closing() {
  close_requested_ = false;
  wire::ClockMessage message;
  message.mutable_closing();
  tell_clock(message);
}

// ---- the clock ----

void ProcessHost::on_message(std::string_view bytes) {
  if (exit_code_) return;
  if (!incoming_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    log_->error("the clock at {} sent a malformed message", options_.clock_address);
    return finish(kExitLostClock);
  }
  if (incoming_.has_grant() && node_ && !grant_) {
    on_grant(*incoming_.mutable_grant());
  } else if (incoming_.has_supply() && node_) {
    for (wire::Frame& frame : *incoming_.mutable_supply()->mutable_frames()) {
      on_frame(std::make_shared<const wire::Frame>(std::move(frame)));
    }
  } else if (incoming_.has_welcome() && !node_) {
    on_welcome(incoming_.welcome());
  } else if (incoming_.has_end()) {
    log_->info("the run is over: {}", incoming_.end().reason());
    finish(0);
  } else if (incoming_.has_refused()) {
    log_->error("refused by the clock: {}", incoming_.refused().reason());
    finish(kExitRefused);
  } else {
    log_->error("the clock at {} sent what does not belong here", options_.clock_address);
    finish(kExitLostClock);
  }
}

void ProcessHost::on_welcome(const wire::Welcome& welcome) {
  NodeContext context{.name = options_.name,
                      .incarnation = Incarnation(welcome.incarnation()),
                      .seed = welcome.seed(),
                      .tick_ms = TickLength(welcome.tick_ms()),
                      .properties = options_.properties,
                      .stored = {}};
  log_.set_tick(Tick(welcome.tick()));
  if (!open_storage(welcome, context)) return finish(kExitRefused);
  peers_.begin(context.incarnation, welcome.secret());
  try {
    node_ = factory_(std::move(context));
  } catch (const std::exception& error) {
    log_->error("cannot start: {}", error.what());
    return finish(kExitRefused);
  }
  log_->info("joined as incarnation {}", welcome.incarnation());
  if (close_requested_) report_closing();
}

bool ProcessHost::open_storage(const wire::Welcome& welcome, NodeContext& context) {
  if (!options_.data_file) return true;
  std::optional<Tick> last_committed;
  if (welcome.has_last_committed_tick()) last_committed = Tick(welcome.last_committed_tick());
  try {
    store_.emplace(*options_.data_file, welcome.run_id());
    store_->forget_after(last_committed);
    context.stored = store_->load();
    return true;
  } catch (const StorageError& error) {
    log_->error("{}", error.what());
    return false;
  }
}

void ProcessHost::on_grant(wire::Grant& grant) {
  for (const wire::PeerAddress& peer : grant.peers()) peers_.learn(peer);
  OpenGrant& open = grant_.emplace();
  open.tick = Tick(grant.tick());
  open.inbox.reserve(static_cast<std::size_t>(grant.control_size() + grant.deliver_size()));
  log_.set_tick(open.tick);
  for (wire::Control& control : *grant.mutable_control()) {
    open.inbox.push_back({open.tick, std::move(control)});
  }
  for (wire::DeliveryRef& item : *grant.mutable_deliver()) {
    const Tick arrival(item.arrival_tick());
    if (item.has_disconnected()) {
      open.inbox.push_back({arrival, std::move(*item.mutable_disconnected())});
      continue;
    }
    FrameKey key = key_of(item.frame());
    std::shared_ptr<const wire::Frame> frame = cache_.take(key);
    if (!frame) open.missing.emplace(std::move(key), open.inbox.size());
    open.inbox.push_back({arrival, std::move(frame)});
  }
  if (!open.missing.empty()) pull_missing();
  if (open.missing.empty()) return step();
  open.since = steady_clock::now();
  wait_for_connections(kTurnsToConnect);
}

// ---- frames ----

// A sender writes its frames before its Done, so mostly they have come when a Grant names them.
void ProcessHost::pull_missing() {
  pulling_ = true;
  for (auto next = grant_->missing.begin(); next != grant_->missing.end();) {
    const FrameKey key = next->first;
    peers_.pull(key.source, key.incarnation);
    // The next sender; the frames of this one have been taken out, or are not there.
    next = grant_->missing.upper_bound({key.source, key.incarnation, UINT64_MAX});
  }
  pulling_ = false;
}

// A sender without a connection is perhaps just calling: what is ready in the kernel is taken
// first.
void ProcessHost::wait_for_connections(int turns) {
  for (const auto& [key, place] : grant_->missing) {
    if (peers_.is_connected(key.source, key.incarnation)) {
      peers_.watch(key.source, key.incarnation);
      continue;
    }
    if (turns == 0) return ask_for_missing();
    asio::post(context_, [this, tick = grant_->tick, turns] {
      if (grant_ && grant_->tick == tick && !grant_->asked) wait_for_connections(turns - 1);
    });
    return;
  }
  ask_if_late();
}

void ProcessHost::on_frame(std::shared_ptr<const wire::Frame> frame) {
  if (grant_) {
    const auto missing = grant_->missing.find(key_of(*frame));
    if (missing != grant_->missing.end()) {
      grant_->inbox[missing->second].what = std::move(frame);
      grant_->missing.erase(missing);
      if (grant_->missing.empty() && !pulling_) step();
      return;
    }
  }
  cache_.insert(std::move(frame));
}

void ProcessHost::ask_for_missing() {
  if (grant_->missing.empty() || exit_code_) return;
  grant_->asked = true;
  wire::ClockMessage message;
  for (const auto& [key, place] : grant_->missing) {
    *message.mutable_need()->add_frames() = id_of(key);
  }
  log_->debug("asks the clock for {} frames", grant_->missing.size());
  tell_clock(message);
}

// One timer at a time, never cancelled: most Grants are complete long before it fires, and setting
// and cancelling one for each would cost two system calls a tick.
void ProcessHost::ask_if_late() {
  if (late_armed_) return;
  late_armed_ = true;
  late_.expires_after(kNeedDelay);
  late_.async_wait([this](const boost::system::error_code& error) {
    late_armed_ = false;
    if (error || !grant_ || grant_->asked) return;
    if (steady_clock::now() - grant_->since < kNeedDelay) return ask_if_late();
    ask_for_missing();
  });
}

// ---- the step ----

void ProcessHost::step() {
  const OpenGrant grant = std::move(*grant_);
  grant_.reset();
  peers_.rest();
  try {
    StepResult result = node_->step(grant.tick, grant.inbox);
    if (store_) store_->append(grant.tick, result.rows, std::move(result.obsolete));
    wire::ClockMessage message;
    wire::Done& done = *message.mutable_done();
    done.set_tick(grant.tick.value());
    if (!result.rows.empty()) done.set_rows_digest(rows_digest(result.rows));
    if (result.next_wake) done.set_next_wake_tick(result.next_wake->value());
    if (result.exit_code) done.set_exit_code(*result.exit_code);
    send_frames(result.emissions);
    for (const wire::Emission& emission : result.emissions) {
      if (emission.has_event()) log_event(log_, emission.event());
    }
    done.mutable_emissions()->Reserve(static_cast<int>(result.emissions.size()));
    for (wire::Emission& emission : result.emissions) *done.add_emissions() = std::move(emission);
    tell_clock(message);
    if (result.exit_code) {
      log_->info("ends with exit code {}", *result.exit_code);
      finish(*result.exit_code);
    }
  } catch (const std::exception& error) {
    log_->critical("failed: {}", error.what());
    finish(kExitBug);
  }
}

void ProcessHost::tell_clock(const wire::ClockMessage& message) {
  if (!clock_->send(message)) throw std::length_error("a step too large to tell the clock");
  clock_->flush();
}

// What a node sends to itself needs no socket.
void ProcessHost::send_frames(std::vector<wire::Emission>& emissions) {
  for (wire::Emission& emission : emissions) {
    if (!emission.has_frame()) continue;
    wire::Frame& frame = *emission.mutable_frame();
    if (frame.header().destination() == options_.name) {
      cache_.insert(std::make_shared<const wire::Frame>(frame));
    } else {
      peers_.send(frame);
    }
  }
  peers_.flush();
}

// The clock must hear the last word before the connection closes.
void ProcessHost::finish(int exit_code) {
  if (exit_code_) return;
  exit_code_ = exit_code;
  clock_->when_flushed([this] { context_.stop(); });
}

}  // namespace fencepost
