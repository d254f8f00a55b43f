#include "lab/why/asked.h"

namespace fencepost::lab::why {
namespace {

template <class Request>
Asked asked_by(const Moment& sent, const Request& request) {
  return {sent, request.group_id(), request.member_id(), request.generation_id()};
}

}  // namespace

Asked asked_of(const Moment& sent, const wire::Frame& frame) {
  if (frame.has_heartbeat_request()) return asked_by(sent, frame.heartbeat_request());
  if (frame.has_sync_group_request()) return asked_by(sent, frame.sync_group_request());
  if (frame.has_offset_commit_request()) return asked_by(sent, frame.offset_commit_request());
  if (frame.has_join_group_request()) {
    const wire::JoinGroupRequest& request = frame.join_group_request();
    return {sent, request.group_id(), request.member_id(), -1};
  }
  if (frame.has_leave_group_request()) {
    const wire::LeaveGroupRequest& request = frame.leave_group_request();
    return {sent, request.group_id(),
            request.members_size() == 1 ? request.members(0).member_id() : "", -1};
  }
  if (frame.has_offset_fetch_request() && frame.offset_fetch_request().groups_size() > 0) {
    return {sent, frame.offset_fetch_request().groups(0).group_id(), "", -1};
  }
  return {sent, "", "", -1};
}

}  // namespace fencepost::lab::why
