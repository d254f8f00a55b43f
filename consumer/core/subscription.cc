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
  pattern_ = std::regex(pattern);
  topics_.clear();
  active_ = true;
}

void Subscription::clear() {
  active_ = false;
  pattern_.reset();
  topics_.clear();
}

bool Subscription::wants(const std::string& topic) const {
  if (pattern_) return std::regex_match(topic, *pattern_);
  return std::binary_search(topics_.begin(), topics_.end(), topic);
}

void Subscription::match(const std::vector<std::string>& existing) {
  topics_.clear();
  for (const std::string& topic : existing) {
    if (wants(topic)) topics_.push_back(topic);
  }
}

}  // namespace fencepost::consumer
