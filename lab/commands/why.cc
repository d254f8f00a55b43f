// The command `why`: the chain of causes of what happened in a run.
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

int print_why(const WhyArguments& arguments) {
  require_run(arguments.directory);
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
    print(as_json ? why::to_json(story, history, &*index) : why::to_text(story, tick_ms, 0));
    return kExitHolds;
  }
  const why::Question question = why::parse_question(arguments.question, history);
  if (question.packet) {
    const RunIndex index(capture, known);
    const why::Causes causes(history, known);
    print(as_json ? why::chain_json(index, *question.packet, causes)
                  : why::chain_text(index, *question.packet, causes));
    return kExitHolds;
  }
  const auto found = why::answer(explainer, question, arguments.group);
  if (!as_json) {
    print(why::to_text(found, tick_ms, 0));
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
