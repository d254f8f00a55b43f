#include "clock/standalone.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fencepost::clock {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kMaxPartitions = 10'000;

// "orders" becomes "o", unless another topic has that: then its whole name.
std::string short_name(const std::string& topic, const wire::Plan& plan) {
  const std::string first = topic.substr(0, 1);
  const bool taken = std::any_of(plan.topics().begin(), plan.topics().end(),
                                 [&](const auto& other) { return other.short_name() == first; });
  return taken ? topic : first;
}

void add_topic(const std::string& text, wire::Plan& plan) {
  const std::size_t colon = text.find(':');
  std::int32_t partitions = 0;
  const char* const end = text.data() + text.size();
  if (colon != std::string::npos && colon > 0) {
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, partitions);
    if (error != std::errc() || stop != end) partitions = 0;
  }
  if (partitions < 1 || partitions > kMaxPartitions) {
    throw std::runtime_error(fmt::format("--topics: \"{}\" is not NAME:PARTITIONS", text));
  }
  wire::TopicName topic;
  topic.set_topic(text.substr(0, colon));
  topic.set_short_name(short_name(topic.topic(), plan));
  topic.set_partitions(partitions);
  *plan.add_topics() = std::move(topic);
}

// Whether anybody has come to the run that is in the directory.
bool holds_decisions(const fs::path& directory) {
  std::ifstream journal(directory / "journal.yaml");
  for (std::string line; std::getline(journal, line);) {
    if (line.starts_with("  - {")) return true;
  }
  return false;
}

// As the runner locks the directory of its run (lab/run_directory). Held until this process ends.
void lock(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  if (fd >= 0) ::close(fd);
  throw std::runtime_error(fmt::format(
      "{}: another run is using this directory; choose another --out", directory.string()));
}

}  // namespace

wire::Plan plan_of(const Standalone& standalone) {
  wire::Plan plan;
  plan.set_name(standalone.name);
  plan.set_seed(standalone.seed);
  plan.set_tick_ms(standalone.tick_ms);
  // The databases of brokers carry it. Who starts everything once more goes on with an empty log,
  // since nothing of the new run is committed yet.
  plan.set_run_id(standalone.name);
  for (const std::string& topic : standalone.topics) add_topic(topic, plan);
  for (const std::string& name : standalone.expect) plan.add_expect_names(name);
  return plan;
}

std::string make_room(const std::string& directory, const wire::Plan& plan) {
  fs::path path = fs::absolute(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  fs::path kept;
  const bool was_there = fs::exists(path);
  std::error_code error;
  if (was_there) lock(path);
  if (holds_decisions(path)) {
    int number = 1;
    do {
      kept = fmt::format("{}.{}", path.string(), number++);
    } while (fs::exists(fs::symlink_status(kept)));
    fs::rename(path, kept, error);
    if (error) {
      throw std::runtime_error(
          fmt::format("{} holds a run and cannot be renamed: {}", path.string(), error.message()));
    }
  }
  fs::create_directories(path, error);
  if (error) {
    throw std::runtime_error(fmt::format("cannot make {}: {}", path.string(), error.message()));
  }
  if (!kept.empty() || !was_there) lock(path);
  std::ofstream file(path / "plan.bin", std::ios::binary | std::ios::trunc);
  if (!plan.SerializeToOstream(&file) || !file.flush()) {
    throw std::runtime_error("cannot write " + (path / "plan.bin").string());
  }
  return kept.string();
}

}  // namespace fencepost::clock
