#include "lab/packets/info_rows.h"

namespace fencepost::lab {
namespace {

// clang-format off
constexpr InfoRow kRows[] = {
    {"ProduceRequest",
     "transactional.id={transactional_id} acks={acks:natural}"
     " records=[topic_data.partition_data|{name,index:partition}={records:records}]"},
    {"ProduceResponse",
     "error={:errors}"
     " offsets=[responses.partition_responses|{name,index:partition}={base_offset:offset}"
     "{error_code:suffix}]"},
    {"FetchRequest",
     "isolation={isolation_level:isolation}"
     " offsets=[topics.partitions|{topic,partition:partition}={fetch_offset}]"},
    {"FetchResponse",
     "error={:errors}"
     " failed=[responses.partitions|{topic,partition_index:partition}({error_code:error})]"
     " records=[responses.partitions|{topic,partition_index:partition}={records:records}|none]"},
    {"ListOffsetsRequest",
     "isolation={isolation_level:isolation}"
     " offsets=[topics.partitions|{name,partition_index:partition}={timestamp:timestamp}]"},
    {"ListOffsetsResponse",
     "error={:errors}"
     " offsets=[topics.partitions|{name,partition_index:partition}={offset:offset}"
     "{error_code:suffix}]"},
    {"MetadataRequest", "topics=[topics|{.}] all_topics={all_topics}"},
    {"MetadataResponse",
     "error={:errors} brokers=[brokers|{host}:{port}]"
     " topics=[topics|{name}({partitions:count}){error_code:suffix}]"},
    {"OffsetCommitRequest",
     "group={group_id} member={member_id:member} instance={group_instance_id}"
     " gen={generation_id:natural}"
     " offsets=[topics.partitions|{name,partition_index:partition}={committed_offset}]"},
    {"OffsetCommitResponse", "error={:errors}"},
    {"OffsetFetchRequest",
     "group={groups.group_id}"
     " partitions=[groups.topics.partition_indexes|{name,.:partition}]"
     " all_topics={groups.all_topics} require_stable={require_stable}"},
    {"OffsetFetchResponse",
     "error={:errors} group={groups.group_id}"
     " offsets=[groups.topics.partitions|{name,partition_index:partition}="
     "{committed_offset:offset}{error_code:suffix}]"},
    {"FindCoordinatorRequest", "{key_type:keytype}={coordinator_keys}"},
    {"FindCoordinatorResponse",
     "error={:errors} coordinator=[coordinators|{key}={host}:{port}]"},
    {"JoinGroupRequest",
     "group={group_id} member={member_id:joiner} instance={group_instance_id}"
     " gen={protocols.metadata:claimgen} protocols=[protocols|{name}]"
     " owned={protocols.metadata:owned} reason={reason}"},
    {"JoinGroupResponse",
     "error={:errors} member={member_id:member} gen={generation_id:natural}"
     " protocol={protocol_name} leader={leader:member} members=[members|{member_id:member}]"},
    {"HeartbeatRequest",
     "group={group_id} member={member_id:member} instance={group_instance_id}"
     " gen={generation_id:natural}"},
    {"HeartbeatResponse", "error={:errors}"},
    {"LeaveGroupRequest",
     "group={group_id} member={members.member_id:member} instance={members.group_instance_id}"
     " reason={members.reason}"},
    {"LeaveGroupResponse", "error={:errors}"},
    {"SyncGroupRequest",
     "group={group_id} member={member_id:member} instance={group_instance_id}"
     " gen={generation_id:natural} protocol={protocol_name}"
     " assignments=[assignments|{member_id:member}={assignment:assignment}]"},
    {"SyncGroupResponse", "error={:errors} assignment={assignment:assignment}"},
    {"DescribeGroupsRequest", "groups=[groups|{.}]"},
    {"DescribeGroupsResponse",
     "error={:errors}"
     " groups=[groups|{group_id}={group_state}({members:count} members){error_code:suffix}]"},
    {"ListGroupsRequest", "states=[states_filter|{.}] types=[types_filter|{.}]"},
    {"ListGroupsResponse", "error={:errors} groups=[groups|{group_id}={group_state}|none]"},
    {"CreateTopicsRequest",
     "topics=[topics|{name}({num_partitions})] validate_only={validate_only}"},
    {"CreateTopicsResponse", "error={:errors} topics=[topics|{name}{error_code:suffix}]"},
    {"DeleteTopicsRequest", "topics=[topic_names|{.}]"},
    {"DeleteTopicsResponse", "error={:errors} topics=[responses|{name}{error_code:suffix}]"},
    {"CreatePartitionsRequest", "topics=[topics|{name}({count})] validate_only={validate_only}"},
    {"CreatePartitionsResponse", "error={:errors} topics=[results|{name}{error_code:suffix}]"},
    {"DeleteGroupsRequest", "groups=[groups_names|{.}]"},
    {"DeleteGroupsResponse", "error={:errors} groups=[results|{group_id}{error_code:suffix}]"},
    {"OffsetDeleteRequest",
     "group={group_id} partitions=[topics.partitions|{name,partition_index:partition}]"},
    {"OffsetDeleteResponse",
     "error={:errors}"
     " partitions=[topics.partitions|{name,partition_index:partition}{error_code:suffix}]"},
};
// clang-format on

}  // namespace

std::span<const InfoRow> info_rows() { return kRows; }

}  // namespace fencepost::lab
