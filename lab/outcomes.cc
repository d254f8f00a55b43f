#include "lab/outcomes.h"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/checkers/delivery.h"
#include "lab/expectations.h"

namespace fencepost::lab {
namespace {

constexpr std::string_view kRow = "{:<24} {:>8} {:>8}{}\n";

struct GroupOutcome {
  std::size_t rebalances = 0;
  std::size_t once = 0;
  std::size_t twice = 0;
  std::size_t lost = 0;
  std::size_t pending = 0;
};

GroupOutcome outcome_of(const History& history, const std::vector<Delivery>& deliveries,
                        const std::string& group) {
  GroupOutcome outcome{.rebalances = settled_rebalances(history, group).size()};
  for (const Delivery& delivery : deliveries) {
    if (delivery.group != group) continue;
    outcome.once = static_cast<std::size_t>(delivery.once);
    outcome.twice = delivery.duplicates.size();
    outcome.lost = delivery.lost.size();
    outcome.pending = delivery.pending.size();
  }
  return outcome;
}

template <class Value>
std::string row(std::string_view what, const Value& left, const Value& right) {
  return fmt::format(fmt::runtime(kRow), what, left, right, left == right ? "" : "   differs");
}

}  // namespace

std::string compare_outcomes(const History& left, const History& right) {
  if (!left.ended || !right.ended) return {};
  std::string text = fmt::format(fmt::runtime(kRow), "HOW THEY CAME OUT", "<", ">", "");
  text += row("last tick", left.last_tick.value(), right.last_tick.value());
  text += row("packets", left.packets, right.packets);
  const std::vector<Delivery> left_records = deliveries(left);
  const std::vector<Delivery> right_records = deliveries(right);
  std::set<std::string> groups = left.groups();
  groups.merge(right.groups());
  for (const std::string& group : groups) {
    const GroupOutcome one = outcome_of(left, left_records, group);
    const GroupOutcome other = outcome_of(right, right_records, group);
    text += fmt::format("group {}\n", group);
    text += row("  rebalances", one.rebalances, other.rebalances);
    text += row("  records once", one.once, other.once);
    text += row("  twice or more often", one.twice, other.twice);
    text += row("  lost", one.lost, other.lost);
    text += row("  pending", one.pending, other.pending);
  }
  return text;
}

}  // namespace fencepost::lab
