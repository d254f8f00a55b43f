#include "clock/sessions.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/process_spec.h"

namespace fencepost::clock {
namespace {

// A server that listens at every address of its host is reached where it has called from.
void complete_address(wire::Hello& hello, const FrameStream& stream) {
  constexpr std::string_view kEverywhere = "0.0.0.0:";
  if (!hello.listen_address().starts_with(kEverywhere)) return;
  const std::string host = stream.remote_host();
  if (host.empty()) return;
  hello.set_listen_address(host + ":" + hello.listen_address().substr(kEverywhere.size()));
}

}  // namespace

Sessions::Sessions(asio::io_context& context, ProcessLog& log, SessionEvents& events)
    : context_(context), log_(log), events_(events) {}

// ---- who comes in ----

std::string Sessions::admit(const std::shared_ptr<FrameStream>& stream,
                            const wire::ClockMessage& message) {
  if (ended_) return "the run is over";
  if (sessions_.size() >= kMaxSessions) {
    return fmt::format("there are {} processes already", sessions_.size());
  }
  if (message.has_hello()) {
    const std::string objection = admit_process(stream, message.hello());
    if (!objection.empty()) refuse(stream, message.hello().name(), objection);
  } else if (runner_) {
    refuse(stream, "a runner", "there is a runner already");
  } else {
    runner_ = take_in(stream);
    sessions_.at(*runner_).stage = Stage::kRunner;
    events_.on_runner();
  }
  return {};
}

// Returns why it is refused; empty if it waits to join.
std::string Sessions::admit_process(const std::shared_ptr<FrameStream>& stream, wire::Hello hello) {
  std::string objection = objection_to(hello);
  if (!objection.empty()) return objection;
  complete_address(hello, *stream);
  objection = events_.on_hello(hello);
  if (!objection.empty()) return objection;
  const Key key = take_in(stream);
  waiting_[hello.name()] = key;
  if (active_.contains(hello.name())) wait_for_name(key);
  sessions_.at(key).hello = std::move(hello);
  return {};
}

// Why a Hello cannot be taken; empty if it can.
std::string Sessions::objection_to(const wire::Hello& hello) const {
  if (std::string objection = objection_to_name(hello.name()); !objection.empty()) {
    return objection;
  }
  const std::optional<Role> role = role_from_string(hello.role());
  if (!role) return "unknown role";
  if (waiting_.contains(hello.name())) {
    return fmt::format("another {} waits to join already", hello.name());
  }
  return objection_to_properties(*role, hello.properties());
}

Sessions::Key Sessions::take_in(const std::shared_ptr<FrameStream>& stream) {
  const Key key = next_key_++;
  Session& session = sessions_[key];
  session.stream = stream;
  stream->set_limit(kMaxStepBytes);
  stream->hand_over([this, key](std::string_view bytes) { on_bytes(key, bytes); },
                    [this, key](const std::string& reason) { on_closed(key, reason); });
  return key;
}

void Sessions::turn_away(const std::string& name, const std::string& reason) {
  const auto waiting = waiting_.find(name);
  if (waiting == waiting_.end()) return;
  const Key key = waiting->second;
  const std::shared_ptr<FrameStream> stream = sessions_.at(key).stream;
  forget(key);
  refuse(stream, name, reason);
}

void Sessions::refuse(const std::shared_ptr<FrameStream>& stream, const std::string& name,
                      const std::string& reason) {
  log_->warn("refused {}: {}", name.empty() ? "a process" : name, reason);
  wire::ClockMessage message;
  message.mutable_refused()->set_reason(reason);
  static_cast<void>(stream->send(message));
  // It closes when it has read why; its end is of no further interest.
  stream->hand_over([](std::string_view) {}, [](const std::string&) {});
  stream->when_flushed([stream] { stream->close(); });
}

// ---- what comes in ----

void Sessions::on_bytes(Key key, std::string_view bytes) {
  const auto found = sessions_.find(key);
  if (found == sessions_.end() || ended_) return;
  const Session& session = found->second;
  if (!incoming_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return reject(key, "a malformed message");
  }
  switch (session.stage) {
    case Stage::kWaiting:
      return reject(key, "a message before it was welcomed");
    case Stage::kRunner:
      if (!incoming_.has_observed()) return reject(key, "a message that no runner sends");
      return events_.on_observed(incoming_.observed());
    case Stage::kActive: {
      const ParticipantId id = session.id;
      if (!events_.on_message(id, incoming_)) reject(key, "a message that does not belong here");
      return;
    }
  }
}

void Sessions::wait_for_name(Key key) {
  Session& session = sessions_.at(key);
  session.patience = std::make_unique<asio::steady_timer>(context_, kHelloPatience);
  session.patience->async_wait([this, key](const boost::system::error_code& error) {
    const auto found = sessions_.find(key);
    if (error || found == sessions_.end() || found->second.stage != Stage::kWaiting) return;
    const std::string name = found->second.hello.name();
    if (!active_.contains(name)) return;  // it is gone, and the next boundary lets this one in
    events_.on_hello_withdrawn(name);
    turn_away(name, fmt::format("there is a live process of the name {}", name));
  });
}

void Sessions::on_closed(Key key, const std::string& reason) {
  const auto found = sessions_.find(key);
  if (found == sessions_.end()) return;
  const Session session = std::move(found->second);
  forget(key);
  if (ended_) return events_.on_farewell();
  switch (session.stage) {
    case Stage::kWaiting:
      log_->warn("{} has left before it was welcomed: {}", session.hello.name(), reason);
      return events_.on_hello_withdrawn(session.hello.name());
    case Stage::kActive:
      log_->info("{} is gone: {}", session.id.name, reason);
      return events_.on_gone(session.id);
    case Stage::kRunner:
      return events_.on_runner_gone();
  }
}

// ---- what ends a session from here ----

void Sessions::reject(Key key, const std::string& reason) {
  const std::shared_ptr<FrameStream> stream = sessions_.at(key).stream;
  stream->close();
  on_closed(key, reason);
}

void Sessions::forget(Key key) {
  const auto belongs = [key](const auto& entry) { return entry.second == key; };
  std::erase_if(waiting_, belongs);
  std::erase_if(active_, belongs);
  if (runner_ == key) runner_.reset();
  sessions_.erase(key);
}

// ---- what goes out ----

void Sessions::send(Session& session, const wire::ClockMessage& message) {
  if (!session.stream->send(message)) {
    log_->error("{} takes no more: its queue is full", session.id.name);
    session.stream->close();
    asio::post(context_, [this, id = session.id] {
      const auto key = active_.find(id.name);
      if (key == active_.end()) return;
      forget(key->second);
      events_.on_gone(id);
    });
  }
  to_flush_.push_back(session.stream);
}

Sessions::Session* Sessions::find(const ParticipantId& who) {
  const auto key = active_.find(who.name);
  if (key == active_.end()) return nullptr;
  Session& session = sessions_.at(key->second);
  return session.id == who ? &session : nullptr;
}

void Sessions::welcome(const ParticipantId& who, const wire::Welcome& welcome) {
  const auto key = waiting_.find(who.name);
  if (key == waiting_.end()) return;  // it has left meanwhile, which the service has been told
  Session& session = sessions_.at(key->second);
  session.stage = Stage::kActive;
  session.id = who;
  session.patience.reset();
  active_[who.name] = key->second;
  waiting_.erase(key);
  if (session.hello.has_listen_address()) {
    wire::PeerAddress& address = servers_.emplace_back();
    address.set_name(who.name);
    address.set_incarnation(who.incarnation.value());
    address.set_address(session.hello.listen_address());
  }
  wire::ClockMessage message;
  *message.mutable_welcome() = welcome;
  message.mutable_welcome()->set_secret(secret_);
  send(session, message);
}

void Sessions::grant(const ParticipantId& to, wire::Grant grant) {
  Session* const session = find(to);
  if (session == nullptr) return;
  for (; session->peers_told < servers_.size(); ++session->peers_told) {
    const wire::PeerAddress& server = servers_[session->peers_told];
    if (server.name() != to.name) *grant.add_peers() = server;
  }
  *outgoing_.mutable_grant() = std::move(grant);
  send(*session, outgoing_);
}

void Sessions::supply(const ParticipantId& to, wire::Supply supply) {
  Session* const session = find(to);
  if (session == nullptr) return;
  *outgoing_.mutable_supply() = std::move(supply);
  send(*session, outgoing_);
}

void Sessions::tell_runner(const wire::ClockMessage& message) {
  if (runner_) send(sessions_.at(*runner_), message);
}

void Sessions::flush() {
  for (const std::shared_ptr<FrameStream>& stream : to_flush_) stream->flush();
  to_flush_.clear();
}

void Sessions::end(const std::string& reason, const wire::Status& status) {
  ended_ = true;
  wire::ClockMessage over;
  over.mutable_end()->set_reason(reason);
  wire::ClockMessage last;
  *last.mutable_status() = status;
  for (auto& [key, session] : sessions_) {
    send(session, runner_ == key ? last : over);
    session.stream->finish_sending();
  }
  flush();
}

bool Sessions::is_empty_but(const std::set<std::string>& names) const {
  return std::all_of(sessions_.begin(), sessions_.end(), [&names](const auto& entry) {
    const Session& session = entry.second;
    return names.contains(session.id.name);
  });
}

std::optional<std::int64_t> Sessions::pid_of(const ParticipantId& who) const {
  const auto key = active_.find(who.name);
  if (key == active_.end() || sessions_.at(key->second).id != who) return std::nullopt;
  return sessions_.at(key->second).hello.pid();
}

std::vector<const wire::Hello*> Sessions::waiting() const {
  std::vector<const wire::Hello*> hellos;
  for (const auto& [name, key] : waiting_) hellos.push_back(&sessions_.at(key).hello);
  return hellos;
}

std::optional<ParticipantId> Sessions::active(const std::string& name) const {
  const auto key = active_.find(name);
  if (key == active_.end()) return std::nullopt;
  return sessions_.at(key->second).id;
}

}  // namespace fencepost::clock
