// A set of names such as "o2.3" or "inv(o2.3)" that is as large as its gaps: names that differ in
// their last number alone are kept as intervals. So what a long run has done without a fault takes
// no memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::lab {

class NumberedNames {
 public:
  // False if the name was there.
  bool insert(const std::string& name);
  // False if the name was not there.
  bool erase(const std::string& name);
  bool contains(const std::string& name) const;
  std::int64_t size() const { return size_; }
  // All of them, by prefix and number. As large as the set is, without its intervals.
  std::vector<std::string> names() const;

 private:
  using Around = std::pair<std::string, std::string>;      // before and behind the number
  using Intervals = std::map<std::int64_t, std::int64_t>;  // first to one behind the last

  std::map<Around, Intervals> numbered_;
  std::set<std::string> others_;  // without a number
  std::int64_t size_ = 0;
};

}  // namespace fencepost::lab
