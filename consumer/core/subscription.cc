#include "consumer/core/subscription.h"

#include <algorithm>

namespace fencepost::consumer {

void Subscription::set_topics(std::vector<std::string> topics) {
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  pattern_.reset();
  topics_ = std::move(topics);
  active_ = true;
}

void Subscription::set_pattern(const std::string& pattern) {
  pattern_.emplace(pattern);
  topics_.clear();
  active_ = true;
}

void Subscription::clear() {
  active_ = false;
  pattern_.reset();
  topics_.clear();
}

bool Subscription::wants(const std::string& topic) const {
  if (pattern_) return pattern_->matches(topic).value_or(false);
  return std::binary_search(topics_.begin(), topics_.end(), topic);
}

bool Subscription::match(const std::vector<std::string>& existing) {
  topics_.clear();
  bool known = true;
  for (const std::string& topic : existing) {
    const std::optional<bool> matches = pattern_->matches(topic);
    known = known && matches;
    if (matches.value_or(false)) topics_.push_back(topic);
  }
  return known;
}

}  // namespace fencepost::consumer
