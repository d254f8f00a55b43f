// Sets of partitions and of offsets, as protocol messages and as events write them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/ids.h"
#include "proto/group.pb.h"

namespace fencepost::consumer {

using TopicPartitions = std::set<TopicPartition>;
// The next offset to read of each partition.
using Offsets = std::map<TopicPartition, Offset>;

std::string to_text(const TopicPartitions& partitions);  // "orders-0,orders-1"
std::string to_text(const Offsets& offsets);             // "orders-0=3,orders-1=6"

using WireTopicPartitions = google::protobuf::RepeatedPtrField<wire::TopicPartitions>;
void write_partitions(const TopicPartitions& partitions, WireTopicPartitions* out);
TopicPartitions read_partitions(const WireTopicPartitions& in);

// The entry of a topic in a repeated field that is filled in order of topics: the last one or a new
// one.
template <class Topics>
auto* topic_entry(Topics* topics, const std::string& name) {
  if (topics->size() == 0 || topics->rbegin()->name() != name) topics->Add()->set_name(name);
  return &*topics->rbegin();
}

}  // namespace fencepost::consumer
