#include "lab/commands/packet_options.h"

#include <algorithm>
#include <stdexcept>

#include "lab/frame_facts.h"
#include "lab/node_reader.h"

namespace fencepost::lab {
namespace {

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& about) {
  return command.add_option(name, values, about)->delimiter(',')->allow_extra_args(false);
}

std::vector<NumberRange> ranges_of(const std::vector<std::string>& words, std::string_view option) {
  std::vector<NumberRange> ranges;
  for (const std::string& word : words) {
    const auto range = parse_range(word);
    if (!range) {
      throw std::runtime_error(std::string(option) + ": \"" + word +
                               "\" is no range: say 10, 10..20, 10.. or ..20");
    }
    ranges.push_back(*range);
  }
  return ranges;
}

void check(const std::string& word, std::string_view option, std::string_view kind,
           const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, word) != known.end()) return;
  throw std::runtime_error(std::string(option) + ": " + unknown_word(kind, word, known));
}

bool asks_for_routine(const PacketOptions& options) {
  return std::ranges::any_of(
      options.only, [](const std::string& word) { return word == "Heartbeat" || word == "Fetch"; });
}

}  // namespace

void add_packet_options(CLI::App& command, PacketOptions& options) {
  command.add_flag("--all", options.all,
                   "Live: show Heartbeats that succeed and empty Fetches, too");
  command.add_flag("-e,--events", options.events, "Show all that nodes report, too");
  add_list(command, "--only", options.only, "Packets of these APIs and processes, e.g. Fetch,C2");
  add_list(command, "--host", options.hosts, "What these processes send or get, e.g. C2");
  add_list(command, "--between", options.between, "What two processes send each other: C2,B1");
  add_list(command, "--ticks", options.ticks,
           "What is sent in these ticks: 10..20, 10, 10.., ..20");
  add_list(command, "--group", options.groups, "What is about these consumer groups");
  command.add_flag("--errors", options.errors,
                   "Answers with an error code, and packets that do not arrive");
  command.add_flag("--no-heartbeats", options.no_heartbeats, "Without Heartbeats that succeed");
}

PacketFilter filter_of(const PacketOptions& options) {
  PacketFilter filter;
  filter.only = options.only;
  filter.hosts = options.hosts;
  filter.groups = options.groups;
  filter.ticks = ranges_of(options.ticks, "--ticks");
  filter.numbers = ranges_of(options.numbers, "--packet");
  for (const std::string& word : options.numbers) {
    if (word == "0") throw std::runtime_error("--packet 0: packets are numbered from 1");
  }
  filter.errors = options.errors;
  filter.no_heartbeats = options.no_heartbeats;
  if (options.between.size() % 2 != 0) {
    throw std::runtime_error("--between takes two processes, e.g. --between C2,B1");
  }
  for (std::size_t at = 0; at < options.between.size(); at += 2) {
    filter.between.emplace_back(options.between[at], options.between[at + 1]);
  }
  return filter;
}

PacketList::Options live_options(const PacketOptions& options) {
  PacketList::Options live;
  live.layout = PacketLayout::kLive;
  live.marks = options.events ? Marks::kEvents : Marks::kMembers;
  live.filter = filter_of(options);
  live.filter.no_routine = !options.all && !asks_for_routine(options);
  return live;
}

void add_names(FilterNames& known, const wire::Plan& plan) {
  for (const wire::ProcessSpec& spec : plan.processes()) known.processes.insert(spec.name());
}

void add_names(FilterNames& known, const wire::Status& status) {
  for (const wire::ProcessStatus& one : status.processes()) known.processes.insert(one.name());
}

void check_names(const PacketFilter& filter, const FilterNames& known) {
  const std::vector<std::string_view> processes(known.processes.begin(), known.processes.end());
  std::vector<std::string_view> words = all_apis();
  words.insert(words.end(), processes.begin(), processes.end());
  for (const std::string& word : filter.only) check(word, "--only", "API or process", words);
  for (const std::string& host : filter.hosts) check(host, "--host", "process", processes);
  for (const auto& [one, other] : filter.between) {
    check(one, "--between", "process", processes);
    check(other, "--between", "process", processes);
  }
  if (known.groups.empty()) return;
  const std::vector<std::string_view> groups(known.groups.begin(), known.groups.end());
  for (const std::string& group : filter.groups) check(group, "--group", "group", groups);
}

}  // namespace fencepost::lab
