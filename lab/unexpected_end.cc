#include "lab/unexpected_end.h"

#include <spdlog/fmt/fmt.h>

#include <fstream>

namespace fencepost::lab {
namespace {

constexpr std::size_t kMaxLine = 400;  // of a log, in a message

std::string last_line_of(const std::string& log_file) {
  std::ifstream file(log_file);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = std::move(line);
  }
  return last.substr(0, kMaxLine);
}

}  // namespace

std::optional<std::string> unexpected_end(const std::string& name, const ChildChange& change,
                                          const std::set<int>& sent, const std::string& log_file) {
  if (change.by_signal ? sent.contains(change.status) : change.status == 0) return std::nullopt;
  std::string text = change.by_signal
                         ? fmt::format("{} was killed by signal {}, which the run did not send",
                                       name, change.status)
                         : fmt::format("{} ended with exit code {}", name, change.status);
  const std::string line = last_line_of(log_file);
  return line.empty() ? text : text + "; the last line of its log: " + line;
}

}  // namespace fencepost::lab
