#include "clock/core/journal.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace fencepost::clock {
namespace {

constexpr std::string_view kPlainCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
constexpr std::size_t kCommentColumn = 40;

// A scalar as it may stand in a flow mapping; quoted unless every character is harmless.
std::string scalar(std::string_view text) {
  constexpr auto kNulls = std::to_array<std::string_view>({"null", "Null", "NULL"});
  const bool plain = !text.empty() && text.front() != '-' &&
                     text.find_first_not_of(kPlainCharacters) == std::string_view::npos &&
                     std::find(kNulls.begin(), kNulls.end(), text) == kNulls.end();
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

std::string properties_of(const wire::Decision& decision) {
  std::string text;
  for (const wire::Property& property : decision.properties()) {
    if (!text.empty()) text += ", ";
    text += scalar(property.name()) + ": " + scalar(property.value());
  }
  return text;
}

struct Wording {
  std::string entry;
  std::string comment;
};

// In words that say what a person did and what the scenario would not say.
Wording wording_of(const wire::Decision& decision) {
  const std::string process = scalar(decision.process());
  const std::string& name = decision.process();
  const std::string_view holding = decision.holding() ? ", holding: true" : "";
  switch (decision.kind()) {
    case wire::Decision::JOIN:
      return {fmt::format("join: {}, role: {}, properties: {{{}}}", process,
                          scalar(decision.role()), properties_of(decision)),
              fmt::format("{} joins as {}, started by hand", name, decision.role())};
    case wire::Decision::KILL:
      return {"kill: " + process, name + " is killed (kill -9)"};
    case wire::Decision::CLOSE:
      return {"close: " + process, name + " is told to end (SIGTERM): it takes its leave"};
    case wire::Decision::FREEZE:
      return {fmt::format("freeze: {}{}", process, holding),
              name + (decision.holding() ? " is stopped (SIGSTOP), in the middle of a step"
                                         : " is stopped (SIGSTOP)")};
    case wire::Decision::THAW:
      return {"thaw: " + process, name + " goes on (SIGCONT)"};
    case wire::Decision::END:
      return {"end: true", "the run is ended"};
  }
  return {};
}

}  // namespace

std::string journal_header(const wire::Plan& plan, std::string_view scenario_file) {
  return fmt::format(
      "# What came from outside in this run, each in the first tick in which it holds. Repeat the\n"
      "# run with: fencepost replay DIR. Move a tick or drop a line, and that is a new run.\n"
      "fencepost.journal: {}\nscenario: {}\nseed: {}\nrun: {}\ndecisions:\n",
      kJournalVersion, scalar(scenario_file), plan.seed(), scalar(plan.run_id()));
}

std::string journal_line(const wire::Decision& decision, std::int64_t tick_ms) {
  const Wording wording = wording_of(decision);
  const std::string entry = fmt::format("  - {{tick: {}, {}}}", decision.tick(), wording.entry);
  std::string comment = fmt::format("at {} ms {}", decision.tick() * tick_ms, wording.comment);
  std::replace_if(
      comment.begin(), comment.end(),
      [](char character) { return static_cast<unsigned char>(character) < 0x20; }, '?');
  return fmt::format("{:<{}} # {}\n", entry, kCommentColumn, comment);
}

}  // namespace fencepost::clock
