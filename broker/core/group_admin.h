// What an administrator asks about groups (group-protocol 2.10): DescribeGroups, ListGroups,
// DeleteGroups, OffsetDelete (api keys 15, 16, 42, 47). Asks the coordinator and lets it act; has
// no state of its own.
#pragma once

#include "broker/core/effects.h"
#include "broker/core/group_coordinator.h"
#include "broker/core/topics.h"
#include "proto/group_admin.pb.h"

namespace fencepost::broker {

class GroupAdmin {
 public:
  GroupAdmin(const Topics& topics, GroupCoordinator& groups) : topics_(topics), groups_(groups) {}

  // A group that does not exist is described as Dead, without an error. Error per group:
  // kNotCoordinator.
  wire::DescribeGroupsResponse describe(const wire::DescribeGroupsRequest& request) const;

  // The groups that this broker coordinates, sorted by id. Filters are without regard to case.
  wire::ListGroupsResponse list(const wire::ListGroupsRequest& request) const;

  // Away with Empty groups and their offsets. A group that is named twice is answered once. Errors
  // per group: kNotCoordinator; kGroupIdNotFound; kNonEmptyGroup.
  wire::DeleteGroupsResponse remove(const wire::DeleteGroupsRequest& request, const Caller& caller,
                                    Turn& turn);

  // Away with the offsets of single partitions. Errors of the whole: kInvalidGroupId;
  // kNotCoordinator; kGroupIdNotFound; kNonEmptyGroup, members of another type than "consumer".
  // Errors per partition: kUnknownTopicOrPartition; kGroupSubscribedToTopic. A partition without
  // an offset is deleted without an error.
  wire::OffsetDeleteResponse delete_offsets(const wire::OffsetDeleteRequest& request,
                                            const Caller& caller, Turn& turn);

 private:
  ErrorCode check_offset_delete(const std::string& group) const;

  const Topics& topics_;
  GroupCoordinator& groups_;
};

}  // namespace fencepost::broker
