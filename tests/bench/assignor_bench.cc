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
#include <ctime>
#include <string>
#include <vector>

#include "consumer/core/assignors/assignor.h"

namespace {

using namespace fencepost;
using namespace fencepost::consumer;

constexpr int kTopics = 100;
constexpr int kPartitionsAMember = 100;
// From one size to the next, which is twice as large: n log n and the machine's caches have room.
constexpr double kGrowthMax = 3.0;
// With unequal subscriptions and nothing claimed, each partition looks for its least loaded
// subscriber among all members, as in Kafka: four times the work.
constexpr double kGrowthMaxUnequal = 5.0;

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
  std::vector<std::string> names;
  for (int i = 0; i < kTopics; ++i) {
    names.push_back(topic_name(i));
    input.partition_counts[names.back()] = members * kPartitionsAMember / kTopics;
  }
  for (int i = 0; i < members; ++i) {
    MemberSubscription& member = input.members.emplace_back();
    member.member_id = MemberId(fmt::format("c{:05}", i));
    member.topics = names;
    // Every member misses another topic.
    if (subscriptions == Subscriptions::kUnequal) {
      member.topics.erase(member.topics.begin() + i % kTopics);
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

// Of this process: other work on the machine counts for little.
template <class Work>
double seconds_of(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
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
  constexpr int kRounds = 5;
  const auto assignor = make_assignor(what.assignor, what.rule);
  AssignorInput input = group_of(members, what.subscriptions);
  if (what.claims) give_claims(input, *assignor);
  std::vector<double> multiples;
  std::vector<double> seconds;
  std::size_t entries = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double bare = seconds_of([&] { entries += deal(input); });
    const double ours = seconds_of([&] { entries += assignor->assign(input).size(); });
    multiples.push_back(ours / bare);
    seconds.push_back(ours);
  }
  if (entries == 0) fmt::print("nothing was assigned\n");
  std::sort(multiples.begin(), multiples.end());
  std::sort(seconds.begin(), seconds.end());
  return {.multiple = multiples[kRounds / 2], .seconds = seconds[kRounds / 2]};
}

bool report(const Case& what, const std::vector<int>& sizes) {
  const std::string_view rule =
      what.assignor == "cooperative-sticky" && what.rule == StickyRule::kSimple ? " (simple)" : "";
  std::string line = fmt::format(
      "{:<46}", fmt::format("{}{}, {}{}", what.assignor, rule,
                            what.subscriptions == Subscriptions::kEqual ? "equal" : "unequal",
                            what.claims ? ", claims" : ""));
  const bool unequal = what.subscriptions == Subscriptions::kUnequal;
  const double growth_max = unequal && !what.claims ? kGrowthMaxUnequal : kGrowthMax;
  bool reached = true;
  Figure before;
  for (const int members : sizes) {
    const Figure now = measure(what, members);
    line += fmt::format(" {:>7.1f}x {:>6.2f} s", now.multiple, now.seconds);
    if (before.seconds > 0) {
      const double growth = now.multiple / before.multiple * 2;
      line += fmt::format(" (x{:.1f})", growth);
      reached = reached && growth <= growth_max;
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
      quick ? std::vector<int>{200, 400, 800} : std::vector<int>{500, 1'000, 2'000};
  fmt::print("times the baseline, seconds (growth for twice the size); members:");
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
