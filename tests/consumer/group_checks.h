// What tests of all assignors ask of an assignment.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "consumer/core/assignors/assignor.h"

namespace fencepost::consumer {

// "C1: orders-0,orders-1; C2: "
inline std::string text_of(const GroupAssignment& assignment) {
  std::string text;
  for (const auto& [id, partitions] : assignment) {
    if (!text.empty()) text += "; ";
    text += id.value() + ": " + to_text(partitions);
  }
  return text;
}

inline bool subscribes(const MemberSubscription& member, const std::string& topic) {
  return std::find(member.topics.begin(), member.topics.end(), topic) != member.topics.end();
}

// Every partition of a subscribed topic has one owner, who subscribes to it.
inline void expect_complete(const AssignorInput& input, const GroupAssignment& assignment,
                            const std::string& what) {
  ASSERT_EQ(assignment.size(), input.members.size()) << what;
  std::map<TopicPartition, int> owners;
  for (const MemberSubscription& member : input.members) {
    for (const TopicPartition& where : assignment.at(member.member_id)) {
      ++owners[where];
      ASSERT_TRUE(subscribes(member, where.topic)) << what;
    }
  }
  for (const auto& [topic, count] : input.partition_counts) {
    const bool wanted =
        std::any_of(input.members.begin(), input.members.end(),
                    [&, &name = topic](const auto& member) { return subscribes(member, name); });
    for (std::int32_t i = 0; i < count; ++i) {
      ASSERT_EQ((owners[{topic, PartitionId(i)}]), wanted ? 1 : 0) << what << " " << topic << i;
    }
  }
}

}  // namespace fencepost::consumer
