// What a member subscribes to: topics by name, or every topic whose whole name matches a pattern.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/pattern.h"

namespace fencepost::consumer {

class Subscription {
 public:
  void set_topics(std::vector<std::string> topics);
  // Throws ConfigError. No topic is known to match until match() is told.
  void set_pattern(const std::string& pattern);
  void clear();

  bool active() const { return active_; }
  bool by_pattern() const { return pattern_.has_value(); }
  // Sorted.
  const std::vector<std::string>& topics() const { return topics_; }
  // Also a topic that matches the pattern and has been heard of from the leader only.
  bool wants(const std::string& topic) const;

  // By pattern: of the topics that exist, those that match. False if that takes too long to find
  // out for one of them, which then does not match.
  bool match(const std::vector<std::string>& existing);

 private:
  bool active_ = false;
  std::optional<Pattern> pattern_;
  std::vector<std::string> topics_;
};

}  // namespace fencepost::consumer
