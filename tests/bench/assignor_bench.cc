// How long each assignor takes on large groups, without claims and with those of a group that one
// member more joins, at three sizes:
//
//   assignor_bench [--quick]
//
// Each figure is a multiple of a baseline of the same run: dealing the partitions out in turn into
// the sets that an assignment consists of, which is what any assignor has to do at the least. A
// growth near 2 means that twice the group takes twice the time. Exits with 1 if one is beyond the
// limit.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "consumer/core/assignors/assignor.h"

namespace {

using namespace fencepost;
using namespace fencepost::consumer;

constexpr std::int32_t kPartitionsATopic = 1'000;
constexpr int kPartitionsAMember = 100;
// From one size to the next, which is twice as large: n log n and the machine's caches have room.
constexpr double kGrowthMax = 3.0;

enum class Subscriptions { kEqual, kUnequal };

struct Case {
  std::string_view assignor;
  StickyRule rule = StickyRule::kKafka;
  Subscriptions subscriptions = Subscriptions::kEqual;
  bool claims = false;
};

std::string topic_name(int number) { return fmt::format("t{:03}", number); }

AssignorInput group_of(int members, Subscriptions subscriptions) {
  AssignorInput input;
  const int topics = std::max(members * kPartitionsAMember / kPartitionsATopic, 2);
  std::vector<std::string> names;
  for (int i = 0; i < topics; ++i) {
    names.push_back(topic_name(i));
    input.partition_counts[names.back()] = kPartitionsATopic;
  }
  for (int i = 0; i < members; ++i) {
    MemberSubscription& member = input.members.emplace_back();
    member.member_id = MemberId(fmt::format("c{:05}", i));
    member.topics = names;
    // Every member misses another topic.
    if (subscriptions == Subscriptions::kUnequal) {
      member.topics.erase(member.topics.begin() + i % topics);
    }
  }
  return input;
}

// As they stand after a generation, when one member more has joined.
void give_claims(AssignorInput& input, const Assignor& assignor) {
  AssignorInput before = input;
  before.members.pop_back();
  const GroupAssignment given = assignor.assign(before);
  for (MemberSubscription& member : input.members) {
    const auto share = given.find(member.member_id);
    if (share == given.end()) continue;
    member.owned = share->second;
    member.generation = Generation(1);
    member.user_data = assignor.user_data(share->second, Generation(1));
  }
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The baseline.
std::size_t deal(const AssignorInput& input) {
  GroupAssignment dealt;
  for (const MemberSubscription& member : input.members) dealt[member.member_id];
  auto next = dealt.begin();
  for (const auto& [topic, count] : input.partition_counts) {
    for (std::int32_t i = 0; i < count; ++i) {
      next->second.insert({topic, PartitionId(i)});
      if (++next == dealt.end()) next = dealt.begin();
    }
  }
  return dealt.size();
}

// How many times the baseline; the seconds for people.
struct Figure {
  double multiple = 0;
  double seconds = 0;
};

Figure measure(const Case& what, int members) {
  constexpr int kRounds = 3;
  const auto assignor = make_assignor(what.assignor, what.rule);
  AssignorInput input = group_of(members, what.subscriptions);
  if (what.claims) give_claims(input, *assignor);
  Figure best{.multiple = 1e9, .seconds = 1e9};
  std::size_t entries = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double bare = seconds_of([&] { entries += deal(input); });
    const double ours = seconds_of([&] { entries += assignor->assign(input).size(); });
    best.multiple = std::min(best.multiple, ours / bare);
    best.seconds = std::min(best.seconds, ours);
  }
  if (entries == 0) fmt::print("nothing was assigned\n");
  return best;
}

bool report(const Case& what, const std::vector<int>& sizes) {
  const std::string_view rule =
      what.assignor == "cooperative-sticky" && what.rule == StickyRule::kSimple ? " (simple)" : "";
  std::string line = fmt::format(
      "{:<46}", fmt::format("{}{}, {}{}", what.assignor, rule,
                            what.subscriptions == Subscriptions::kEqual ? "equal" : "unequal",
                            what.claims ? ", claims" : ""));
  bool reached = true;
  Figure before;
  for (const int members : sizes) {
    const Figure now = measure(what, members);
    line += fmt::format(" {:>7.1f}x {:>6.2f} s", now.multiple, now.seconds);
    if (before.seconds > 0) {
      const double growth = now.multiple / before.multiple * 2;
      line += fmt::format(" (x{:.1f})", growth);
      reached = reached && growth <= kGrowthMax;
    }
    before = now;
  }
  fmt::print("{}   {}\n", line, reached ? "reached" : "MISSED");
  std::fflush(stdout);
  return reached;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const std::vector<int> sizes =
      quick ? std::vector<int>{50, 100, 200} : std::vector<int>{500, 1'000, 2'000};
  fmt::print("times the baseline, seconds (growth for twice the size, at most {}); members:",
             kGrowthMax);
  for (const int members : sizes) {
    fmt::print(" {} ({} partitions)", members, members * kPartitionsAMember);
  }
  fmt::print("\n");
  bool all = true;
  for (const bool claims : {false, true}) {
    for (const std::string_view name : assignor_names()) {
      all = report({.assignor = name, .claims = claims}, sizes) && all;
    }
    all = report({.assignor = "cooperative-sticky", .rule = StickyRule::kSimple, .claims = claims},
                 sizes) &&
          all;
    for (const std::string_view name : {"sticky", "cooperative-sticky"}) {
      all = report({.assignor = name, .subscriptions = Subscriptions::kUnequal, .claims = claims},
                   sizes) &&
            all;
    }
  }
  return all ? 0 : 1;
}
