#include "lab/why/expected.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace fencepost::lab::why {
namespace {

constexpr std::array kWhats{What::kRebalance, What::kEviction,  What::kFence, What::kError,
                            What::kReset,     What::kDuplicate, What::kLost};

bool fits(const Explanation& one, const ExpectWhy& expected) {
  if (expected.tick && one.when.tick != *expected.tick) return false;
  if (!expected.process.empty() && expected.process != one.process &&
      expected.process != one.subject) {
    return false;
  }
  if (!expected.api.empty() && expected.api != one.api) return false;
  if (expected.number && static_cast<std::int64_t>(one.number) != *expected.number) return false;
  if (expected.generation && std::ranges::find(one.generations, Generation(*expected.generation)) ==
                                 one.generations.end()) {
    return false;
  }
  if (one.what == What::kRebalance) return true;
  if (one.what == What::kError) {
    return expected.subject == one.error || expected.subject == one.exception;
  }
  return expected.subject.empty() || expected.subject == one.subject;
}

bool fits(const Link& link, const ExpectLink& expected) {
  if (info(link.kind).name != expected.kind) return false;
  if (!expected.word.empty() && expected.word != subject_of(link)) return false;
  if (expected.tick && link.when.tick != *expected.tick) return false;
  if (expected.since && link.since != *expected.since) return false;
  if (!expected.other.empty() && expected.other != link.other) return false;
  if (!expected.subject.empty() && expected.subject != link.subject) return false;
  if (!expected.detail.empty() && expected.detail != link.detail) return false;
  return expected.value.empty() || (link.setting && link.setting->value == expected.value);
}

bool fits(const Chain& chain, const std::vector<ExpectLink>& expected) {
  return std::ranges::equal(
      chain, expected, [](const Link& link, const ExpectLink& one) { return fits(link, one); });
}

std::string differs_from(const Explanation& one, const ExpectWhy& expected) {
  const Chain first = one.causes.empty() ? Chain{} : one.causes.front();
  if (!expected.because.empty() && !fits(first, expected.because)) {
    return fmt::format("found at tick {}: because: [{}]", one.when.tick.value(),
                       as_expected(first));
  }
  const std::size_t others = one.causes.size() > 1 ? one.causes.size() - 1 : 0;
  for (std::size_t index = 0; expected.also && index < std::max(others, expected.also->size());
       ++index) {
    const bool both = index < others && index < expected.also->size();
    if (both && fits(one.causes[index + 1], (*expected.also)[index])) continue;
    std::string found;
    for (std::size_t more = 1; more < one.causes.size(); ++more) {
      found += fmt::format("{}[{}]", more == 1 ? "" : ", ", as_expected(one.causes[more]));
    }
    return fmt::format("found at tick {}: also: [{}]", one.when.tick.value(), found);
  }
  if (expected.wasted && one.wasted != expected.wasted) {
    return fmt::format("found wasted: {}",
                       !one.wasted ? "it is not over" : (*one.wasted ? "true" : "false"));
  }
  if (expected.cost && one.cost != expected.cost) {
    return fmt::format("found cost: {}", one.cost ? std::to_string(*one.cost) : "it is not over");
  }
  return "";
}

}  // namespace

std::string as_expected(const Link& link) {
  std::string text = fmt::format("{{{}: {}", info(link.kind).name, subject_of(link));
  if (link.when.record > 0) text += fmt::format(", tick: {}", link.when.tick.value());
  return text + "}";
}

std::string as_expected(const Chain& chain) {
  std::vector<std::string> texts;
  for (const Link& link : chain) texts.push_back(as_expected(link));
  return fmt::format("{}", fmt::join(texts, ", "));
}

const std::vector<Explanation>& WhyJudge::all_of(What what) {
  const auto known = known_.find(what);
  if (known != known_.end()) return known->second;
  std::vector<Explanation>& found = known_[what];
  switch (what) {
    case What::kRebalance:
      return found = explainer_.rebalances();
    case What::kEviction:
      return found = explainer_.evictions();
    case What::kFence:
      return found = explainer_.fences();
    case What::kError:
      return found = explainer_.errors();
    case What::kReset:
      return found = explainer_.resets();
    case What::kDuplicate:
      return found = explainer_.duplicates();
    case What::kLost:
      return found = explainer_.losses();
  }
  return found;
}

std::string WhyJudge::differs(const ExpectWhy& expected, const std::string& group) {
  for (const What what : kWhats) {
    if (name_of(what) != expected.what) continue;
    const Explanation* first = nullptr;
    for (const Explanation& one : all_of(what)) {
      const bool its = group.empty() || one.group.empty() || one.group == group;
      if (its && first == nullptr && fits(one, expected)) first = &one;
    }
    if (first == nullptr) {
      return fmt::format("not found; there are {} of this kind in the run", all_of(what).size());
    }
    return differs_from(*first, expected);
  }
  return "not found";
}

}  // namespace fencepost::lab::why
