// The command `why`: the chain of causes of what happened in a run.
#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/journal_file.h"
#include "lab/node_reader.h"
#include "lab/run_directory.h"
#include "lab/run_index.h"
#include "lab/why/question.h"
#include "lab/why/render.h"

namespace fencepost::lab {
namespace {

struct WhyArguments {
  std::string directory;
  std::vector<std::string> question;
  std::string group;
  std::string format = "text";
};

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string nothing_of(why::What what) {
  if (what == why::What::kFence) return "nobody was fenced\n";
  if (what == why::What::kLost) return "no record was lost\n";
  if (what == why::What::kDuplicate) return "no record was done twice\n";
  return fmt::format("no {} in this run\n", why::name_of(what));
}

// 0 where the output is no terminal: then lines are not broken.
std::size_t width_of_terminal() {
  constexpr std::size_t kNarrowest = 60;
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1) return 0;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < kNarrowest) return 0;
  return size.ws_col;
}

// With the properties of those who joined from outside. A capture alone has none.
std::optional<wire::Plan> plan_of(const RunDirectory& run) {
  if (!std::filesystem::exists(run.plan())) return {};
  wire::Plan plan = run.read_plan();
  if (std::filesystem::exists(run.journal())) {
    for (const wire::Decision& decision : load_journal(run.journal().string()).decisions) {
      *plan.add_journal() = decision;
    }
  }
  return plan;
}

void check_group(const std::string& group, const History& history) {
  const std::set<std::string> known = history.groups();
  if (group.empty() || known.contains(group)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw std::runtime_error(unknown_word("group", group, views(names)));
}

// A bare name is that of a run in runs/.
void find_run(std::string& directory) {
  const std::filesystem::path in_runs = std::filesystem::path("runs") / directory;
  const bool bare = directory.find('/') == std::string::npos && !std::filesystem::exists(directory);
  if (bare && std::filesystem::exists(in_runs / "capture.bin")) directory = in_runs.string();
  require_run(directory);
}

int print_why(WhyArguments arguments) {
  find_run(arguments.directory);
  const RunDirectory run(arguments.directory);
  const bool is_file = std::filesystem::is_regular_file(arguments.directory);
  const std::string capture = is_file ? arguments.directory : run.capture().string();
  const auto plan = is_file ? std::nullopt : plan_of(run);
  const wire::Plan* const known = plan ? &*plan : nullptr;
  const History history = read_history(capture, Expectations{}, Reading::kWithEvidence);
  check_group(arguments.group, history);
  const bool as_json = arguments.format == "json";
  const std::int64_t tick_ms = history.header.tick_ms();
  const why::Explainer explainer(history, known);
  if (arguments.question.empty()) {
    std::vector<why::Explanation> story = explainer.story();
    if (!arguments.group.empty()) {
      std::erase_if(story, [&](const auto& one) { return one.group != arguments.group; });
    }
    const bool nothing = story.empty() && !as_json;
    if (nothing) print("nothing happened that needs an explanation\n");
    const std::optional<RunIndex> index =
        as_json ? std::optional<RunIndex>(std::in_place, capture, known) : std::nullopt;
    print(as_json ? why::to_json(story, history, &*index)
                  : why::to_text(story, tick_ms, width_of_terminal()));
    return kExitHolds;
  }
  const why::Question question = why::parse_question(arguments.question, history);
  if (question.packet) {
    const RunIndex index(capture, known);
    const why::Causes causes(history, known);
    if (!as_json) {
      const auto errors = why::errors_in_packet(explainer, index, *question.packet);
      print(why::to_text(errors, tick_ms, width_of_terminal()));
    }
    print(as_json ? why::chain_json(index, *question.packet, causes)
                  : why::chain_text(index, *question.packet, causes));
    return kExitHolds;
  }
  const auto found = why::answer(explainer, question, arguments.group);
  if (!as_json) {
    print(found.empty() ? nothing_of(*question.what)
                        : why::to_text(found, tick_ms, width_of_terminal()));
    return kExitHolds;
  }
  const RunIndex index(capture, known);
  print(why::to_json(found, history, &index));
  return kExitHolds;
}

}  // namespace

void add_why(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<WhyArguments>();
  CLI::App* command = app.add_subcommand("why", "Tell why it happened: the chain of causes");
  command->add_option("DIR", arguments->directory, "The run directory, or a capture.bin")
      ->required();
  command->add_option("QUESTION", arguments->question,
                      "What to explain; without it the story of the run");
  command->add_option("--group", arguments->group, "Only what belongs to this group");
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Questions:\n"
      "  rebalance [N]            generation [N]           error [PROCESS] [ERROR] [API]\n"
      "  eviction [PROCESS]       fence [PROCESS]          reset [PARTITION]\n"
      "  duplicate [RECORD]       lost [RECORD]            RECORD, e.g. p2.3\n"
      "  N                        the packet with this number in the packet list\n"
      "Of a capture without its run directory the values of properties are not known.\n\n"
      "Examples:\n"
      "  fencepost why runs/commit-after-crash-k2\n"
      "  fencepost why runs/commit-after-crash-k2 rebalance 2\n"
      "  fencepost why runs/commit-after-crash-k2 p2.3\n"
      "  fencepost why runs/zombie-sigstop error C2 UNKNOWN_MEMBER_ID --format json\n"
      "  fencepost why runs/zombie-sigstop 123\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_why(*arguments); }; });
}

}  // namespace fencepost::lab
