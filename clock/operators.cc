#include "clock/operators.h"

#include <spdlog/fmt/fmt.h>

#include <fstream>
#include <utility>
#include <vector>

namespace fencepost::clock {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10U;
// So much of the capture may wait for a slow watcher; the rest stays in the file.
constexpr std::size_t kMaxQueuedBytes = std::size_t{128} << 10U;

}  // namespace

Operators::Operators(ProcessLog& log, std::string capture_path, OnCommand on_command)
    : log_(log), capture_path_(std::move(capture_path)), on_command_(std::move(on_command)) {}

std::string Operators::admit(const std::shared_ptr<FrameStream>& stream,
                             const wire::Command& command) {
  if (ended_) return "the run is over";
  if (operators_.size() >= kMaxOperators) {
    wire::ClockMessage message;
    message.mutable_reply()->set_error(
        fmt::format("this clock has {} connections of operators already", operators_.size()));
    static_cast<void>(stream->send(message));
    stream->hand_over([](std::string_view) {}, [](const std::string&) {});
    stream->when_flushed([stream] { stream->close(); });
    return {};
  }
  const OperatorId id = next_id_++;
  operators_[id].stream = stream;
  stream->hand_over(
      [this, id](std::string_view) {
        log_->warn("closed the connection of an operator: a second message");
        forget(id);
      },
      [this, id](const std::string&) { forget(id); });
  on_command_(id, command);
  return {};
}

void Operators::reply(OperatorId to, wire::Reply reply) {
  const auto found = operators_.find(to);
  if (found == operators_.end()) return;
  wire::ClockMessage message;
  *message.mutable_reply() = std::move(reply);
  static_cast<void>(found->second.stream->send(message));
  found->second.stream->finish_sending();
}

void Operators::forget(OperatorId id) {
  const auto found = operators_.find(id);
  if (found == operators_.end()) return;
  found->second.stream->close();
  operators_.erase(found);
  if (ended_) farewell_();
}

// ---- watching ----

void Operators::watch(OperatorId who) {
  const auto found = operators_.find(who);
  if (found != operators_.end()) found->second.watches = true;
}

bool Operators::has_watchers() const {
  for (const auto& [id, one] : operators_) {
    if (one.watches) return true;
  }
  return false;
}

void Operators::show() {
  std::vector<OperatorId> watchers;
  for (const auto& [id, one] : operators_) {
    if (one.watches && !one.is_full) watchers.push_back(id);
  }
  for (const OperatorId id : watchers) show_to(id);
}

void Operators::show_to(OperatorId id) {
  const auto found = operators_.find(id);
  if (found == operators_.end()) return;
  Operator& watcher = found->second;
  watcher.is_full = false;
  while (send_chunk(watcher)) {
    if (watcher.stream->queued_bytes() < kMaxQueuedBytes) continue;
    watcher.is_full = true;
    watcher.stream->when_flushed([this, id] { show_to(id); });
    return;
  }
  if (ended_) watcher.stream->finish_sending();
  watcher.stream->flush();
}

// False if there is nothing more for now.
bool Operators::send_chunk(Operator& watcher) {
  std::ifstream file(capture_path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(watcher.shown));
  std::string bytes(kChunkBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  const bool is_last = bytes.size() < kChunkBytes;
  if (bytes.empty() && watcher.has_up_to_date) return false;
  watcher.shown += bytes.size();
  watcher.has_up_to_date = is_last;
  wire::ClockMessage message;
  message.mutable_chunk()->set_bytes(std::move(bytes));
  if (is_last) message.mutable_chunk()->set_up_to_date(true);
  static_cast<void>(watcher.stream->send(message));
  return !is_last;
}

void Operators::end() {
  ended_ = true;
  std::vector<OperatorId> others;
  for (const auto& [id, one] : operators_) {
    if (!one.watches) others.push_back(id);
  }
  wire::Reply over;
  over.set_error("the run is over");
  for (const OperatorId id : others) reply(id, over);  // whoever still waits for an answer
  show();
}

}  // namespace fencepost::clock
