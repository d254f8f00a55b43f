#include "common/host/peers.h"

#include <spdlog/fmt/fmt.h>

#include "common/host/address.h"

namespace fencepost {
Peers::Peers(asio::io_context& context, ProcessLog& log, std::string name, OnFrame on_frame,
             OnLost on_lost)
    : context_(context),
      log_(log),
      name_(std::move(name)),
      on_frame_(std::move(on_frame)),
      on_lost_(std::move(on_lost)),
      doorway_(context, log, "an unknown peer",
               [this](const std::shared_ptr<FrameStream>& stream, std::string_view bytes) {
                 return introduce(stream, bytes);
               }) {}

void Peers::begin(Incarnation incarnation, std::string secret) {
  incarnation_ = incarnation;
  secret_ = std::move(secret);
  if (doorway_.is_listening()) doorway_.open();
}

// ---- called ----

void Peers::on_message_of(Caller caller, std::string_view bytes) {
  wire::PeerMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return drop(caller, "a malformed message");
  }
  if (!message.has_frame()) return drop(caller, "a message that is not a frame");
  const Inbound& inbound = callers_.at(caller);
  const auto frame = std::make_shared<const wire::Frame>(std::move(*message.mutable_frame()));
  if (frame->header().source() != inbound.name ||
      frame->header().source_incarnation() != inbound.incarnation.value()) {
    return drop(caller, "a frame in the name of somebody else");
  }
  on_frame_(frame);
}

// The latest call of a process is the one that is answered. The secret keeps out who is no
// participant: what he sends under the name of one would be taken for its frames.
std::string Peers::introduce(const std::shared_ptr<FrameStream>& stream, std::string_view bytes) {
  wire::PeerMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return "a malformed message";
  }
  if (!message.has_hello() || message.hello().name().empty() ||
      message.hello().incarnation() == 0) {
    return "its first message is not a valid PeerHello";
  }
  if (message.hello().secret() != secret_) return "it is no participant of this run";
  const Caller caller = next_caller_++;
  Inbound& inbound = callers_[caller];
  inbound.name = message.hello().name();
  inbound.incarnation = Incarnation(message.hello().incarnation());
  inbound.stream = stream;
  stream->hand_over([this, caller](std::string_view more) { on_message_of(caller, more); },
                    [this, caller](const std::string& reason) { drop(caller, reason); });
  stream->read_on_demand();
  callers_by_id_[{inbound.name, inbound.incarnation}] = caller;
  forget_predecessors(inbound);
  return {};
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
  if (inbound.stream->is_open()) {
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
  introduction.mutable_hello()->set_secret(secret_);
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
