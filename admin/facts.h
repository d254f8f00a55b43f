// What an administrator has learnt, collected from its requests and their answers: by the admin
// process while it works, and by whoever reads its frames afterwards, so that both know the same.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error_code.h"
#include "common/ids.h"
#include "proto/frame.pb.h"

namespace fencepost::admin {

using Offsets = std::map<TopicPartition, Offset>;
using Errors = std::map<TopicPartition, ErrorCode>;

struct BrokerFact {
  std::string host;
  std::int32_t port = 0;
};

struct GroupFacts {
  std::optional<NodeId> coordinator;
  std::optional<wire::DescribeGroupsResponse::Group> described;
  std::optional<Offsets> committed;
  std::optional<ErrorCode> deleted;  // the outcome of a DeleteGroups
};

struct Facts {
  // Takes one request with its answer; later ones replace what earlier ones said.
  void add(const wire::Frame& request, const wire::Frame& response);

  std::map<NodeId, BrokerFact> brokers;
  std::map<TopicPartition, NodeId> leaders;
  std::map<std::string, wire::ListGroupsResponse::Group> listed;
  std::map<std::string, GroupFacts> groups;
  Offsets latest;
  Offsets earliest;
  Offsets at_time;  // of the time that was asked for; absent: nothing is that young
  std::set<TopicPartition> asked_at_time;
  Errors offset_errors;  // of ListOffsets
  Errors changed;        // outcomes of OffsetCommit and OffsetDelete
  // Outcomes of LeaveGroup by member, and of what was done to topics by topic.
  std::map<std::string, ErrorCode> outcomes;
  std::map<std::string, std::string> messages;  // why, in the broker's words
  std::optional<ErrorCode> refused;             // of a whole OffsetDelete, LeaveGroup or ListGroups

 private:
  void add_metadata(const wire::MetadataResponse& response);
  void add_offset_fetch(const wire::OffsetFetchResponse& response);
  void add_list_offsets(const wire::ListOffsetsRequest& request,
                        const wire::ListOffsetsResponse& response);
  void add_groups(const wire::Frame& response);
  void add_leave(const wire::LeaveGroupResponse& response);
};

// The partitions that a member of a described group has been given.
std::set<TopicPartition> assigned_to(const wire::DescribeGroupsResponse::Member& member);
// What matters of a described group: its partitions with a commit, and those that are assigned.
std::set<TopicPartition> partitions_of(const GroupFacts& group);

}  // namespace fencepost::admin
