// The responses of the group APIs as frames.
#pragma once

#include <string>

#include "broker/core/group.h"
#include "common/error_code.h"
#include "proto/frame.pb.h"

namespace fencepost::broker {

wire::Frame join_refused(ErrorCode error, const std::string& member_id);
// The outcome of a join phase; the member list goes to the leader alone.
enum class SkipAssignment { kNo, kYes };
wire::Frame join_accepted(const Group& group, const Member& member,
                          SkipAssignment skip = SkipAssignment::kNo);
wire::Frame sync_refused(ErrorCode error);
wire::Frame sync_accepted(const Group& group, const Member& member);
wire::Frame heartbeat_answer(ErrorCode error);

}  // namespace fencepost::broker
