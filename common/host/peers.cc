#include "common/host/peers.h"

#include <spdlog/fmt/fmt.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>

#include "common/host/address.h"

namespace fencepost {
namespace {

// When accept fails the process has run out of something: no use in asking again at once.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

Peers::Peers(asio::io_context& context, ProcessLog& log, std::string name, OnFrame on_frame,
             OnLost on_lost)
    : context_(context),
      log_(log),
      name_(std::move(name)),
      on_frame_(std::move(on_frame)),
      on_lost_(std::move(on_lost)),
      acceptor_(context),
      accept_again_(context) {}

std::string Peers::listen(const tcp::endpoint& at) {
  acceptor_.open(at.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(at);
  acceptor_.listen();
  accept_next();
  return to_string(acceptor_.local_endpoint());
}

// ---- called ----

void Peers::accept_next() {
  acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      admit(std::move(socket));
      return accept_next();
    }
    log_->warn("cannot accept a connection: {}", error.message());
    accept_again_.expires_after(kAcceptPause);
    accept_again_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) accept_next();
    });
  });
}

void Peers::admit(tcp::socket socket) {
  if (callers_.size() >= kMaxCallers) {
    log_->warn("refused a connection: there are {} already", callers_.size());
    return;
  }
  const Caller caller = next_caller_++;
  Inbound& inbound = callers_[caller];
  inbound.stream = std::make_shared<FrameStream>(std::move(socket));
  inbound.stream->start([this, caller](std::string_view bytes) { on_message_of(caller, bytes); },
                        [this, caller](const std::string& reason) { drop(caller, reason); });
}

void Peers::on_message_of(Caller caller, std::string_view bytes) {
  wire::PeerMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return drop(caller, "a malformed message");
  }
  const Inbound& inbound = callers_.at(caller);
  if (inbound.name.empty()) {
    if (!introduce(caller, message)) drop(caller, "its first message is not a valid PeerHello");
    return;
  }
  if (!message.has_frame()) return drop(caller, "a message that is not a frame");
  const auto frame = std::make_shared<const wire::Frame>(std::move(*message.mutable_frame()));
  if (frame->header().source() != inbound.name ||
      frame->header().source_incarnation() != inbound.incarnation.value()) {
    return drop(caller, "a frame in the name of somebody else");
  }
  on_frame_(frame);
}

// The latest call of a process is the one that is answered.
bool Peers::introduce(Caller caller, const wire::PeerMessage& message) {
  if (!message.has_hello() || message.hello().name().empty() ||
      message.hello().incarnation() == 0) {
    return false;
  }
  Inbound& inbound = callers_.at(caller);
  inbound.name = message.hello().name();
  inbound.incarnation = Incarnation(message.hello().incarnation());
  callers_by_id_[{inbound.name, inbound.incarnation}] = caller;
  inbound.stream->read_on_demand();
  forget_predecessors(inbound);
  return true;
}

// A connection that is not read does not show its end: the next life of a name ends the last one.
void Peers::forget_predecessors(const Inbound& inbound) {
  auto known = callers_by_id_.lower_bound({inbound.name, Incarnation(0)});
  while (known != callers_by_id_.end() && known->first.first == inbound.name &&
         known->first.second < inbound.incarnation) {
    callers_.at(known->second).stream->close();
    callers_.erase(known->second);
    known = callers_by_id_.erase(known);
  }
}

void Peers::drop(Caller caller, const std::string& reason) {
  const Inbound inbound = std::move(callers_.at(caller));
  callers_.erase(caller);
  const auto known = callers_by_id_.find({inbound.name, inbound.incarnation});
  if (known != callers_by_id_.end() && known->second == caller) callers_by_id_.erase(known);
  if (inbound.name.empty()) {
    log_->warn("closed the connection of an unknown peer: {}", reason);
  } else if (inbound.stream->is_open()) {
    log_->warn("closed the connection of {}: {}", inbound.name, reason);
  } else {
    log_->debug("the connection of {} has ended: {}", inbound.name, reason);
  }
  inbound.stream->close();
  on_lost_();
}

// ---- calling ----

void Peers::learn(const wire::PeerAddress& peer) {
  Server& server = servers_[peer.name()];
  if (server.incarnation.value() > peer.incarnation()) return;
  if (server.stream && server.incarnation.value() < peer.incarnation()) {
    server.stream->close();
    server.stream = nullptr;
  }
  server.incarnation = Incarnation(peer.incarnation());
  server.address = peer.address();
}

void Peers::call(const std::string& name, Server& server) {
  tcp::endpoint endpoint;
  try {
    endpoint = resolve_address(context_, server.address);
  } catch (const std::runtime_error& error) {
    log_->warn("cannot call {}: {}", name, error.what());
    return;
  }
  server.stream = std::make_shared<FrameStream>(tcp::socket(context_));
  server.stream->read_on_demand();
  server.stream->connect(
      endpoint, [this, name](std::string_view bytes) { on_answer(name, bytes); },
      [this, name, self = std::weak_ptr(server.stream)](const std::string& reason) {
        log_->debug("the connection to {} has ended: {}", name, reason);
        const auto found = servers_.find(name);
        if (found != servers_.end() && found->second.stream == self.lock()) {
          found->second.stream = nullptr;
        }
        on_lost_();
      });
  wire::PeerMessage introduction;
  introduction.mutable_hello()->set_name(name_);
  introduction.mutable_hello()->set_incarnation(incarnation_.value());
  static_cast<void>(server.stream->send(introduction));  // small, and the queue is empty
}

void Peers::on_answer(const std::string& from, std::string_view bytes) {
  const auto found = servers_.find(from);
  if (found == servers_.end() || !found->second.stream) return;
  wire::PeerMessage message;
  const bool parsed = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!parsed || !message.has_frame() || message.frame().header().source() != from) {
    log_->warn("closed the connection to {}: a malformed message", from);
    found->second.stream->close();
    found->second.stream = nullptr;
    return on_lost_();
  }
  on_frame_(std::make_shared<const wire::Frame>(std::move(*message.mutable_frame())));
}

std::shared_ptr<FrameStream> Peers::way_to(const wire::Header& header) {
  if (header.has_destination_incarnation()) {
    const auto caller =
        callers_by_id_.find({header.destination(), Incarnation(header.destination_incarnation())});
    return caller == callers_by_id_.end() ? nullptr : callers_.at(caller->second).stream;
  }
  const auto server = servers_.find(header.destination());
  if (server == servers_.end()) return nullptr;
  if (!server->second.stream) call(server->first, server->second);
  return server->second.stream;
}

void Peers::send(wire::Frame& frame) {
  std::shared_ptr<FrameStream> stream = way_to(frame.header());
  if (!stream || stream->queued_bytes() > kMaxQueuedBytes) return;
  // Lent, not copied.
  outgoing_.unsafe_arena_set_allocated_frame(&frame);
  static_cast<void>(stream->send(outgoing_));  // over the limit: the clock supplies it
  static_cast<void>(outgoing_.unsafe_arena_release_frame());
  if (to_flush_.empty() || to_flush_.back() != stream) to_flush_.push_back(std::move(stream));
}

void Peers::flush() {
  for (const std::shared_ptr<FrameStream>& stream : to_flush_) stream->flush();
  to_flush_.clear();
}

std::shared_ptr<FrameStream> Peers::way_from(const std::string& name,
                                             Incarnation incarnation) const {
  const auto caller = callers_by_id_.find({name, incarnation});
  if (caller != callers_by_id_.end()) return callers_.at(caller->second).stream;
  const auto server = servers_.find(name);
  const bool known = server != servers_.end() && server->second.incarnation == incarnation;
  return known ? server->second.stream : nullptr;
}

void Peers::pull(const std::string& name, Incarnation incarnation) {
  if (const std::shared_ptr<FrameStream> stream = way_from(name, incarnation)) stream->pull();
}

void Peers::watch(const std::string& name, Incarnation incarnation) {
  const std::shared_ptr<FrameStream> stream = way_from(name, incarnation);
  if (!stream) return;
  stream->watch();
  watched_.push_back(stream);
}

void Peers::rest() {
  for (const std::shared_ptr<FrameStream>& stream : watched_) stream->rest();
  watched_.clear();
}

bool Peers::is_connected(const std::string& name, Incarnation incarnation) const {
  return way_from(name, incarnation) != nullptr;
}

}  // namespace fencepost
