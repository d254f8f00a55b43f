#include "lab/numbered_names.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

struct Parts {
  std::pair<std::string, std::string> around;
  std::int64_t number = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Nothing if the name could not be made again from its parts.
std::optional<Parts> parts_of(const std::string& name) {
  const std::size_t end = name.ends_with(')') ? name.size() - 1 : name.size();
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  const std::string digits = name.substr(begin, end - begin);
  const auto number = digits.empty() ? std::nullopt : parse_integer(digits);
  if (!number || std::to_string(*number) != digits) return std::nullopt;
  return Parts{{name.substr(0, begin), name.substr(end)}, *number};
}

using Intervals = std::map<std::int64_t, std::int64_t>;

// The interval that holds the number, or the end.
template <class Map>
auto holder(Map& intervals, std::int64_t number) {
  auto behind = intervals.upper_bound(number);
  if (behind == intervals.begin()) return intervals.end();
  const auto found = std::prev(behind);
  return number < found->second ? found : intervals.end();
}

bool add(Intervals& intervals, std::int64_t number) {
  if (holder(intervals, number) != intervals.end()) return false;
  std::int64_t last = number + 1;
  const auto next = intervals.find(last);
  if (next != intervals.end()) {
    last = next->second;
    intervals.erase(next);
  }
  const auto behind = intervals.lower_bound(number);
  if (behind != intervals.begin() && std::prev(behind)->second == number) {
    std::prev(behind)->second = last;
  } else {
    intervals.emplace(number, last);
  }
  return true;
}

bool take_out(Intervals& intervals, std::int64_t number) {
  const auto found = holder(intervals, number);
  if (found == intervals.end()) return false;
  const auto [first, last] = *found;
  intervals.erase(found);
  if (first < number) intervals.emplace(first, number);
  if (number + 1 < last) intervals.emplace(number + 1, last);
  return true;
}

}  // namespace

bool NumberedNames::insert(const std::string& name) {
  const auto parts = parts_of(name);
  const bool is_new =
      parts ? add(numbered_[parts->around], parts->number) : others_.insert(name).second;
  if (is_new) ++size_;
  return is_new;
}

bool NumberedNames::erase(const std::string& name) {
  const auto parts = parts_of(name);
  bool was_there = false;
  if (!parts) {
    was_there = others_.erase(name) > 0;
  } else if (const auto found = numbered_.find(parts->around); found != numbered_.end()) {
    was_there = take_out(found->second, parts->number);
  }
  if (was_there) --size_;
  return was_there;
}

bool NumberedNames::contains(const std::string& name) const {
  const auto parts = parts_of(name);
  if (!parts) return others_.contains(name);
  const auto found = numbered_.find(parts->around);
  if (found == numbered_.end()) return false;
  return holder(found->second, parts->number) != found->second.end();
}

std::vector<std::string> NumberedNames::names() const {
  std::vector<std::string> names;
  for (const auto& [around, intervals] : numbered_) {
    for (const auto& [first, last] : intervals) {
      for (std::int64_t number = first; number < last; ++number) {
        names.push_back(around.first + std::to_string(number) + around.second);
      }
    }
  }
  names.insert(names.end(), others_.begin(), others_.end());
  return names;
}

}  // namespace fencepost::lab
