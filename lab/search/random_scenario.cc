#include "lab/search/random_scenario.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/random.h"

namespace fencepost::lab {
namespace {

// Faults fall into the first ticks; then there is quiet, longer than every timeout that is drawn.
constexpr std::int64_t kFaultTicks = 100;
constexpr std::int64_t kQuietTicks = 220;
constexpr std::size_t kMembersMax = 5;
constexpr std::size_t kFaultsMax = 12;

constexpr std::array<std::string_view, 8> kStrategies{"range",
                                                      "roundrobin",
                                                      "sticky",
                                                      "cooperative-sticky",
                                                      "cooperative-sticky",
                                                      "[range, cooperative-sticky]",
                                                      "[sticky, range]",
                                                      "[cooperative-sticky, roundrobin]"};
constexpr std::array<std::string_view, 4> kSubscriptions{"[orders, payments]", "[orders, payments]",
                                                         "[orders]", "[payments]"};
constexpr std::array<std::string_view, 6> kApis{"Heartbeat",    "JoinGroup", "SyncGroup",
                                                "OffsetCommit", "Fetch",     "LeaveGroup"};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, "search", Incarnation(1), "scenario") {}

  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(last - first) + 1));
  }
  bool percent(std::int64_t chance) { return between(1, 100) <= chance; }
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& words) {
    return words.at(static_cast<std::size_t>(between(0, N - 1)));
  }

 private:
  Random random_;
};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : dice_(seed) { scenario_.seed = seed; }

  RandomScenario draw() {
    draw_head();
    draw_members();
    const std::int64_t faults = dice_.between(1, kFaultsMax);
    for (std::int64_t i = 0; i < faults; ++i) scenario_.faults.push_back(draw_fault());
    if (has_static_) draw_last_rebalance();
    scenario_.until = kFaultTicks + kQuietTicks;
    return std::move(scenario_);
  }

 private:
  void draw_head();
  void draw_members();
  std::string draw_member(std::size_t number);
  Fault draw_fault();
  Fault draw_member_fault(const std::string& member, std::int64_t at);
  Fault draw_network_fault(const std::string& member, std::int64_t at);
  Fault draw_call(const std::string& member, std::int64_t at);
  Fault draw_partitions(std::int64_t at);
  void draw_last_rebalance();

  std::string any_member() {
    return fmt::format("C{}", dice_.between(1, static_cast<std::int64_t>(members_)));
  }

  Dice dice_;
  RandomScenario scenario_;
  std::size_t members_ = 0;
  int admins_ = 0;
  bool has_static_ = false;
};

void Drawing::draw_head() {
  const std::int64_t session = dice_.between(6, 10);
  const std::int64_t poll_interval = dice_.between(12, 20);
  const bool auto_commit = dice_.percent(25);
  const bool before = !auto_commit && dice_.percent(15);
  scenario_.at_least_once = !before;
  std::vector<std::string>& head = scenario_.head;
  head.push_back("tick.ms: 1000");
  head.push_back(fmt::format("topics: {{orders: {}, payments: {}, invoices: 1}}",
                             dice_.between(1, 4), dice_.between(1, 4)));
  head.push_back("defaults:");
  head.push_back(fmt::format("  broker: {{group.initial.rebalance.delay.ms: {}}}",
                             dice_.percent(30) ? 3000 : 0));
  head.push_back("  producer: {request.timeout.ms: 3000, retry.backoff.ms: 0}");
  head.push_back("  consumer:");
  head.push_back(fmt::format("    session.timeout.ms: {}", session * 1000));
  head.push_back(fmt::format("    heartbeat.interval.ms: {}", dice_.between(1, 2) * 1000));
  head.push_back(fmt::format("    max.poll.interval.ms: {}", poll_interval * 1000));
  head.push_back(fmt::format("    max.poll.records: {}", dice_.between(1, 4)));
  head.push_back(fmt::format("    enable.auto.commit: {}", auto_commit));
  head.push_back(fmt::format("    commit: {}", auto_commit ? "none" : before ? "before" : "after"));
  head.push_back("    auto.offset.reset: earliest");
  head.push_back("    metadata.max.age.ms: 15000");
  head.push_back("    request.timeout.ms: 10000");
  head.push_back(fmt::format("    partition.assignment.strategy: {}", dice_.one_of(kStrategies)));
  head.push_back(fmt::format("    process.ms: {}", dice_.percent(80) ? 1000 : 0));
  head.push_back("processes:");
  head.push_back("  B1: {role: broker}");
  for (const std::string_view topic : {"orders", "payments"}) {
    head.push_back(fmt::format("  {}: {{role: producer, records: {{{}: {}}}, interval.ms: {}}}",
                               topic == "orders" ? "P1" : "P2", topic, dice_.between(3, 9),
                               dice_.between(3, 9) * 1000));
  }
}

void Drawing::draw_members() {
  members_ = static_cast<std::size_t>(dice_.between(1, kMembersMax));
  for (std::size_t number = 1; number <= members_; ++number) {
    scenario_.members.push_back(draw_member(number));
    // Those that no rule starts are there from the beginning.
    if (number == 1 || dice_.percent(40)) continue;
    scenario_.faults.push_back({.rules = {fmt::format("{{at: {}, start: C{}}}",
                                                      dice_.between(1, kFaultTicks / 2), number)}});
  }
}

// Two members may have the same group.instance.id, and fence each other. They subscribe to the same
// topics: else the one that comes back would read by the other's subscription until the next
// rebalance, as in Kafka (group-protocol 7, trap 22).
std::string Drawing::draw_member(std::size_t number) {
  std::string_view topics = dice_.one_of(kSubscriptions);
  std::string instance;
  if (dice_.percent(30)) {
    const auto id = static_cast<std::size_t>(dice_.between(1, kMembersMax));
    has_static_ = true;
    instance = fmt::format(", group.instance.id: i{}", id);
    topics = kSubscriptions.at(id % kSubscriptions.size());
  }
  return fmt::format("C{}: {{role: consumer, group.id: g, subscribe: {}, output: invoices{}}}",
                     number, topics, instance);
}

// A static member that comes back is given what it had, without a rebalance: what it subscribes to
// now, and what it was about to give up to another member, waits for the next one, as in Kafka. So
// there is a next one.
void Drawing::draw_last_rebalance() {
  for (std::size_t number = 1; number <= members_; ++number) {
    scenario_.closing.push_back(
        fmt::format("{{at: {}, call: {{process: C{}, method: enforceRebalance}}}}",
                    kFaultTicks + kQuietTicks / 2, number));
  }
}

Fault Drawing::draw_fault() {
  const std::int64_t at = dice_.between(5, kFaultTicks);
  const std::string member = any_member();
  const std::int64_t kind = dice_.between(1, 100);
  if (kind <= 8) {
    return {.rules = {fmt::format("{{at: {}, kill: B1}}", at),
                      fmt::format("{{at: {}, restart: B1}}", at + dice_.between(1, 8))}};
  }
  if (kind <= 25) return draw_network_fault(member, at);
  if (kind <= 40) return draw_call(member, at);
  if (kind <= 47 && !has_static_) return draw_partitions(at);
  return draw_member_fault(member, at);
}

Fault Drawing::draw_call(const std::string& member, std::int64_t at) {
  const auto call = [&](std::int64_t tick, std::string_view method, std::string_view arguments) {
    return fmt::format("{{at: {}, call: {{process: {}, method: {}{}}}}}", tick, member, method,
                       arguments.empty() ? "" : fmt::format(", arguments: {}", arguments));
  };
  const std::int64_t later = at + dice_.between(1, 12);
  switch (dice_.between(1, 4)) {
    case 1:
      return {.rules = {call(at, "subscribe", dice_.one_of(kSubscriptions))}};
    case 2:
      return {.rules = {call(at, "unsubscribe", ""),
                        call(later, "subscribe", dice_.one_of(kSubscriptions))}};
    case 3:
      return {.rules = {call(at, "pause", ""), call(later, "resume", "")}};
    default:
      return {.rules = {call(at, "enforceRebalance", "")}};
  }
}

// An administrator adds partitions; where there are as many already, he is refused. Not with static
// members: a leader that comes back is told to skip the assignment (KIP-814), takes the partitions
// that there are then for those that it has assigned, and nobody notices what was added before.
Fault Drawing::draw_partitions(std::int64_t at) {
  const std::string name = fmt::format("A{}", ++admins_);
  const std::string_view topic = dice_.percent(50) ? "orders" : "payments";
  return {.rules = {fmt::format("{{at: {}, start: {}}}", at, name)},
          .processes = {fmt::format("{}: {{role: admin, admin: create-partitions, counts: {}:{}}}",
                                    name, topic, dice_.between(2, 6))}};
}

Fault Drawing::draw_network_fault(const std::string& member, std::int64_t at) {
  const std::int64_t ticks = dice_.between(1, 12);
  const std::string heal = fmt::format("{{at: {}, heal: true}}", at + ticks);
  const std::string_view api = dice_.one_of(kApis);
  switch (dice_.between(1, 3)) {
    case 1:
      return {.rules = {fmt::format("{{at: {}, partition: {}}}", at, member), heal}};
    case 2:
      return {.rules = {fmt::format("{{at: {}, drop: {{api: {}, response: {}, times: {}}}}}", at,
                                    api, dice_.percent(50), dice_.between(1, 3)),
                        heal}};
    default:
      return {.rules = {fmt::format("{{at: {}, delay: {{from: {}, api: {}, ticks: {}}}}}", at,
                                    member, api, dice_.between(2, 9)),
                        heal}};
  }
}

Fault Drawing::draw_member_fault(const std::string& member, std::int64_t at) {
  const std::int64_t ticks = dice_.between(1, 25);
  switch (dice_.between(1, 7)) {
    case 1:
      return {.rules = {fmt::format("{{at: {}, kill: {}}}", at, member)}};
    case 2:
      return {.rules = {fmt::format("{{at: {}, kill: {}}}", at, member),
                        fmt::format("{{at: {}, restart: {}}}", at + ticks, member)}};
    case 3:
      return {.rules = {fmt::format("{{at: {}, close: {}}}", at, member),
                        fmt::format("{{at: {}, restart: {}}}", at + ticks, member)}};
    case 4:
      return {.rules = {fmt::format("{{at: {}, stop: {}}}", at, member),
                        fmt::format("{{at: {}, cont: {}}}", at + ticks, member)}};
    case 5:
      return {
          {fmt::format("{{when: {{process: {}, event: record.processing, nth: {}}}, "
                       "slow: {{process: {}, ticks: {}}}}}",
                       member, dice_.between(1, 12), member, ticks)}};
    case 6:
      return {.rules = {fmt::format(
                  "{{when: {{process: {}, event: record.processing, nth: {}}}, kill: {}}}", member,
                  dice_.between(1, 12), member)}};
    default:
      return {.rules = {fmt::format("{{at: {}, close: {}}}", at, member)}};
  }
}

}  // namespace

RandomScenario draw_scenario(std::uint64_t seed) { return Drawing(seed).draw(); }

RandomScenario with_faults(const RandomScenario& scenario, const std::vector<std::size_t>& kept) {
  RandomScenario smaller = scenario;
  smaller.faults.clear();
  for (const std::size_t index : kept) smaller.faults.push_back(scenario.faults.at(index));
  return smaller;
}

std::string to_yaml(const RandomScenario& scenario) {
  std::string text = fmt::format("name: search-{0}\nabout: Drawn by `fencepost search` from {0}.\n",
                                 scenario.seed);
  for (const std::string& line : scenario.head) text += line + "\n";
  for (const std::string& member : scenario.members) text += "  " + member + "\n";
  for (const Fault& fault : scenario.faults) {
    for (const std::string& process : fault.processes) text += "  " + process + "\n";
  }
  text += "timeline:\n";
  for (const Fault& fault : scenario.faults) {
    for (const std::string& rule : fault.rules) text += "  - " + rule + "\n";
  }
  for (const std::string& rule : scenario.closing) text += "  - " + rule + "\n";
  if (scenario.faults.empty() && scenario.closing.empty()) text += "  []\n";
  text += fmt::format("until: {}\n", scenario.until);
  if (scenario.at_least_once) text += "expect: {lost: 0}\n";
  return text;
}

}  // namespace fencepost::lab
