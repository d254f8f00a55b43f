// `assign`: what an assignor does with a given group (group-protocol 5).
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lab/assign_file.h"
#include "lab/commands/command.h"
#include "lab/node_reader.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

using consumer::Assignor;
using consumer::GroupAssignment;
using consumer::to_text;
using consumer::TopicPartitions;

struct AssignArguments {
  std::string file;
  std::string assignor;
  std::string format = "table";
};

struct Outcome {
  std::string assignor;
  GroupAssignment now;
  GroupAssignment withheld;
};

std::string json_list(const TopicPartitions& partitions) {
  std::vector<std::string> items;
  for (const TopicPartition& where : partitions) items.push_back(json_text(to_string(where)));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// One member a line, so that it can be read and compared by line, too.
std::string as_json(const Outcome& outcome) {
  std::vector<std::string> members;
  for (const auto& [id, partitions] : outcome.now) {
    members.push_back(fmt::format("    {}: {{\"assigned\": {}, \"withheld\": {}}}",
                                  json_text(id.value()), json_list(partitions),
                                  json_list(outcome.withheld.at(id))));
  }
  return fmt::format("{{\n  \"assignor\": {},\n  \"members\": {{\n{}\n  }}\n}}\n",
                     json_text(outcome.assignor), fmt::join(members, ",\n"));
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string as_table(const Outcome& outcome) {
  std::size_t width = std::string_view("MEMBER").size();
  std::size_t assigned_width = std::string_view("ASSIGNMENT").size();
  for (const auto& [id, partitions] : outcome.now) {
    width = std::max(width, id.value().size());
    assigned_width = std::max(assigned_width, to_text(partitions).size());
  }
  const bool withholds = std::any_of(outcome.withheld.begin(), outcome.withheld.end(),
                                     [](const auto& entry) { return !entry.second.empty(); });
  const auto line = [&](std::string_view member, std::string_view count, std::string_view assigned,
                        std::string_view withheld) {
    const std::string text =
        withholds ? fmt::format("{:<{}}  {:>11}  {:<{}}  {}", member, width, count, assigned,
                                assigned_width, withheld)
                  : fmt::format("{:<{}}  {:>11}  {}", member, width, count, assigned);
    return text + '\n';
  };
  std::string text = fmt::format("assignor {}\n", outcome.assignor) +
                     line("MEMBER", "#PARTITIONS", "ASSIGNMENT", "WITHHELD THIS ROUND");
  for (const auto& [id, partitions] : outcome.now) {
    text += line(id.value(), std::to_string(partitions.size()), or_dash(to_text(partitions)),
                 or_dash(to_text(outcome.withheld.at(id))));
  }
  return text;
}

// The eager assignor reads the claims from its own user data, as members send them.
void say_claims_as_user_data(const Assignor& assignor, consumer::AssignorInput& input) {
  for (consumer::MemberSubscription& member : input.members) {
    member.user_data = assignor.user_data(member.owned, member.generation);
  }
}

int print_assignment(const AssignArguments& arguments) {
  LoadedGroup loaded = load_group(arguments.file);
  for (const Mistake& mistake : loaded.mistakes) {
    fmt::print(stderr, "{}\n", to_string(mistake));
  }
  if (!loaded.group) return kExitUnusable;
  GroupFile& group = *loaded.group;
  const std::string name =
      arguments.assignor.empty() ? group.assignor.value_or("range") : arguments.assignor;
  const auto assignor = consumer::make_assignor(name, group.rule);
  if (!assignor) {
    fmt::print(stderr, "{}\n", unknown_word("assignor", name, consumer::assignor_names()));
    return kExitUnusable;
  }
  if (name == "sticky") say_claims_as_user_data(*assignor, group.input);
  const Outcome outcome{.assignor = name,
                        .now = assignor->assign(group.input),
                        .withheld = assignor->withheld(group.input)};
  fmt::print("{}", arguments.format == "json" ? as_json(outcome) : as_table(outcome));
  return kExitHolds;
}

}  // namespace

void add_assign(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<AssignArguments>();
  CLI::App* command =
      app.add_subcommand("assign", "Show what an assignor does with a group written in a file");
  command->add_option("FILE", arguments->file, "The group, YAML or JSON (docs/assign.md)")
      ->required();
  command->add_option("--assignor", arguments->assignor,
                      "range, roundrobin, sticky or cooperative-sticky (default: the file's, or "
                      "range)");
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->footer(
      "Exit status: 0, or 2 for unusable input.\n\n"
      "Example:\n"
      "  fencepost assign group.yaml --assignor cooperative-sticky\n"
      "with group.yaml:\n"
      "  topics: {orders: 3, payments: 3}\n"
      "  members:\n"
      "    C1: {subscribe: [orders, payments], owned: [orders-0, orders-1], generation: 1}\n"
      "    C2: {subscribe: [orders, payments]}\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return print_assignment(*arguments); }; });
}

}  // namespace fencepost::lab
