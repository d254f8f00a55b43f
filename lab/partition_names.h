// The names that a run's reports use: "o2" for partition 2 of orders, "o2.3" for the record that
// its source wrote there first as offset 3. Which letter stands for a topic is part of the capture.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class PartitionNames {
 public:
  PartitionNames() = default;
  explicit PartitionNames(const google::protobuf::RepeatedPtrField<wire::TopicName>& topics);

  // "o2"; for a topic without a short name, "topic-2".
  std::string short_name(const TopicPartition& where) const;
  // "o0 o1 p0"; "-" for none.
  std::string list(const std::set<TopicPartition>& partitions) const;
  // "o2", "orders-2". Nothing if the topic is unknown or the number is not one of its partitions.
  std::optional<TopicPartition> parse(std::string_view text) const;
  // The partitions of a topic by its full or short name; empty if it is unknown.
  std::vector<TopicPartition> partitions_of(std::string_view topic) const;
  // Every partition name and topic name, for did-you-mean.
  std::vector<std::string> all_names() const;

 private:
  struct Topic {
    std::string short_name;
    int partitions = 0;
  };
  std::map<std::string, Topic, std::less<>> topics_;
};

// "orders-2" without knowing the topics. Nothing if it does not end in "-" and a number.
std::optional<TopicPartition> parse_full_name(std::string_view text);

// The items of "a,b,c"; none for "".
std::vector<std::string_view> split(std::string_view text, char separator);

// A decimal number that fits; nothing for anything else.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace fencepost::lab
