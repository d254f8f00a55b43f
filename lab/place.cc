#include "lab/place.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <tuple>

namespace fencepost::lab {

std::string to_string(const Place& place) {
  if (place.line == 0) return place.file ? *place.file : "?";
  return fmt::format("{}:{}:{}", place.file ? *place.file : "?", place.line, place.column);
}

std::string to_string(const Mistake& mistake) {
  return to_string(mistake.place) + ": " + mistake.message;
}

void Mistakes::add(const Place& place, std::string message) {
  if (found_.size() >= kMax) return;
  // A default that is wrong is met once for each process that takes it.
  const std::string line = to_string(Mistake{place, message});
  for (const Mistake& known : found_) {
    if (to_string(known) == line) return;
  }
  found_.push_back({place, std::move(message)});
}

std::vector<Mistake> Mistakes::sorted() const {
  std::vector<std::string> files;
  const auto rank = [&files](const Mistake& mistake) {
    const std::string name = mistake.place.file ? *mistake.place.file : "";
    const auto found = std::find(files.begin(), files.end(), name);
    if (found == files.end()) files.push_back(name);
    return found - files.begin();
  };
  for (const Mistake& mistake : found_) rank(mistake);
  std::vector<Mistake> result = found_;
  std::stable_sort(result.begin(), result.end(), [&](const Mistake& left, const Mistake& right) {
    return std::tuple(rank(left), left.place.line, left.place.column) <
           std::tuple(rank(right), right.place.line, right.place.column);
  });
  return result;
}

}  // namespace fencepost::lab
