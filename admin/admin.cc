#include "admin/admin.h"

#include <algorithm>

#include "admin/resets.h"

namespace fencepost::admin {
namespace {

constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;
// As Kafka's Admin says it.
constexpr std::string_view kLeaveReason = "member was removed by an admin";

// Adds a partition to a request with topics in which each partition has an entry.
template <class Request>
auto* add_partition(Request& request, const TopicPartition& where) {
  const int topics = request.topics_size();
  const bool same = topics > 0 && request.topics(topics - 1).name() == where.topic;
  auto* topic = same ? request.mutable_topics(topics - 1) : request.add_topics();
  if (!same) topic->set_name(where.topic);
  auto* partition = topic->add_partitions();
  partition->set_partition_index(where.partition.value());
  return partition;
}

wire::Frame metadata_request() {
  wire::Frame frame;
  frame.mutable_metadata_request()->set_all_topics(true);
  return frame;
}

wire::Frame coordinators_request(const std::vector<std::string>& groups) {
  wire::Frame frame;
  for (const std::string& group : groups) {
    frame.mutable_find_coordinator_request()->add_coordinator_keys(group);
  }
  return frame;
}

}  // namespace

Admin::Admin(Client& client)
    : client_(client),
      command_(admin_command(client.properties())),
      calls_(client, facts_),
      groups_(command_.groups),
      changed_(client.time()) {
  std::ranges::sort(groups_);
}

void Admin::control(const wire::Control& control) {
  if (control.kind() != wire::Control::CLOSE) return;
  closing_ = true;
  changed_.notify_all();
}

Task<int> Admin::main() {
  client_.time().spawn(work());
  while (!closing_ && !outcome_) co_await changed_.wait();
  co_return outcome_.value_or(1);
}

Task<void> Admin::work() {
  const bool done = co_await run();
  outcome_ = done ? 0 : 1;
  changed_.notify_all();
}

Task<bool> Admin::run() {
  switch (command_.verb) {
    case Verb::kDescribe:
      co_return co_await describe();
    case Verb::kList:
      co_return co_await list_groups();
    case Verb::kDelete:
      co_return co_await delete_groups();
    case Verb::kDeleteOffsets:
      co_return co_await delete_offsets();
    case Verb::kResetOffsets:
      co_return co_await reset();
    case Verb::kRemoveMembers:
      co_return co_await remove_members();
    case Verb::kCreateTopics:
    case Verb::kCreatePartitions:
    case Verb::kDeleteTopics:
      co_return co_await change_topics();
  }
  co_return false;
}

bool Admin::fail(ErrorCode error, std::string_view where) {
  client_.report_error(client_error(error), where);
  return false;
}

bool Admin::nothing_refused(std::string_view where) {
  if (facts_.refused) return fail(*facts_.refused, where);
  for (const auto& [what, error] : facts_.changed) {
    if (error != ErrorCode::kNone) return fail(error, where);
  }
  for (const auto& [what, error] : facts_.outcomes) {
    if (error != ErrorCode::kNone) return fail(error, where);
  }
  return true;
}

Task<bool> Admin::ask(std::vector<Question> questions, std::string_view where) {
  const ErrorCode error = co_await calls_.all(std::move(questions));
  co_return error == ErrorCode::kNone ? true : fail(error, where);
}

std::vector<std::string> Admin::brokers() const {
  std::vector<std::string> hosts;
  for (const auto& [node, broker] : facts_.brokers) hosts.push_back(broker.host);
  return hosts.empty() ? calls_.bootstrap() : hosts;
}

std::vector<std::string> Admin::broker(std::optional<NodeId> node) const {
  const auto found = node ? facts_.brokers.find(*node) : facts_.brokers.end();
  return found == facts_.brokers.end() ? calls_.bootstrap() : std::vector{found->second.host};
}

std::map<NodeId, std::vector<std::string>> Admin::groups_by_coordinator() const {
  std::map<NodeId, std::vector<std::string>> groups;
  for (const std::string& group : groups_) {
    const auto found = facts_.groups.find(group);
    if (found == facts_.groups.end() || !found->second.coordinator) continue;
    groups[*found->second.coordinator].push_back(group);
  }
  return groups;
}

// ---- whom to ask ----

Task<bool> Admin::list_groups() {
  std::vector<Question> cluster;
  cluster.push_back({calls_.bootstrap(), metadata_request()});
  const bool known = co_await ask(std::move(cluster), "Metadata");
  if (!known) co_return false;
  wire::Frame request;
  wire::ListGroupsRequest& wanted = *request.mutable_list_groups_request();
  for (const std::string& state : command_.states) wanted.add_states_filter(state);
  std::vector<Question> questions;
  for (const auto& [node, one] : facts_.brokers) {
    questions.push_back({std::vector{one.host}, request});
  }
  co_return co_await ask(std::move(questions), "ListGroups");
}

// The cluster, the groups that are meant, and their coordinators.
Task<bool> Admin::find_groups() {
  if (groups_.empty()) {
    const bool listed = co_await list_groups();
    if (!listed) co_return false;
    for (const auto& [group, entry] : facts_.listed) groups_.push_back(group);
    if (groups_.empty()) co_return true;
  }
  std::vector<Question> questions;
  if (facts_.brokers.empty()) questions.push_back({calls_.bootstrap(), metadata_request()});
  questions.push_back({brokers(), coordinators_request(groups_)});
  co_return co_await ask(std::move(questions), "FindCoordinator");
}

// ---- reading ----

Task<bool> Admin::describe() {
  const bool found = co_await find_groups();
  if (!found) co_return false;
  const bool with_offsets = command_.depth != Depth::kState;
  std::vector<Question> questions;
  for (const auto& [node, groups] : groups_by_coordinator()) {
    wire::Frame describe;
    wire::Frame fetch;
    for (const std::string& group : groups) {
      describe.mutable_describe_groups_request()->add_groups(group);
      auto* wanted = fetch.mutable_offset_fetch_request()->add_groups();
      wanted->set_group_id(group);
      wanted->set_all_topics(true);
    }
    questions.push_back({broker(node), std::move(describe)});
    if (with_offsets) questions.push_back({broker(node), std::move(fetch)});
  }
  const bool described = co_await ask(std::move(questions), "DescribeGroups");
  if (!described || !with_offsets) co_return described;
  co_return co_await look_up_offsets();
}

std::vector<Question> Admin::list_offsets(const std::set<TopicPartition>& partitions,
                                          std::int64_t timestamp) const {
  std::map<NodeId, wire::Frame> requests;
  for (const TopicPartition& where : partitions) {
    const auto leader = facts_.leaders.find(where);
    if (leader == facts_.leaders.end()) continue;
    wire::ListOffsetsRequest& request = *requests[leader->second].mutable_list_offsets_request();
    add_partition(request, where)->set_timestamp(timestamp);
  }
  std::vector<Question> questions;
  for (auto& [node, request] : requests) {
    questions.push_back({broker(node), std::move(request)});
  }
  return questions;
}

// Of a reset to a time, in virtual ms.
std::int64_t Admin::wanted_time() const {
  const std::int64_t value = command_.reset.value;
  const bool back = command_.reset.kind == ResetTo::Kind::kDuration;
  return std::max<std::int64_t>(back ? client_.timestamp_ms() - value : value, 0);
}

std::vector<Question> Admin::offset_questions() const {
  std::set<TopicPartition> partitions;
  const bool resets = command_.verb == Verb::kResetOffsets;
  for (const std::string& group : groups_) {
    const GroupFacts& known = facts_.groups.at(group);
    partitions.merge(resets ? reset_partitions(command_, known, facts_) : partitions_of(known));
  }
  std::vector<Question> questions = list_offsets(partitions, kLatest);
  const auto add = [&](std::int64_t timestamp) {
    for (Question& question : list_offsets(partitions, timestamp)) {
      questions.push_back(std::move(question));
    }
  };
  if (resets || command_.depth == Depth::kLogStart) add(kEarliest);
  const ResetTo::Kind kind = command_.reset.kind;
  const bool by_time = kind == ResetTo::Kind::kTime || kind == ResetTo::Kind::kDuration;
  if (resets && by_time) add(wanted_time());
  return questions;
}

Task<bool> Admin::look_up_offsets() {
  std::vector<Question> questions = offset_questions();
  co_return co_await ask(std::move(questions), "ListOffsets");
}

// ---- changing ----

Task<bool> Admin::delete_groups() {
  const bool found = co_await find_groups();
  if (!found) co_return false;
  std::vector<Question> questions;
  for (const auto& [node, groups] : groups_by_coordinator()) {
    wire::Frame request;
    for (const std::string& group : groups) {
      request.mutable_delete_groups_request()->add_groups_names(group);
    }
    questions.push_back({broker(node), std::move(request)});
  }
  const bool asked = co_await ask(std::move(questions), "DeleteGroups");
  if (!asked) co_return false;
  for (const std::string& group : groups_) {
    const auto deleted = facts_.groups[group].deleted.value_or(ErrorCode::kUnknownServerError);
    if (deleted != ErrorCode::kNone) co_return fail(deleted, group);
  }
  co_return true;
}

Task<bool> Admin::delete_offsets() {
  const bool found = co_await find_groups();
  if (!found) co_return false;
  const std::string group = groups_.front();
  wire::Frame frame;
  wire::OffsetDeleteRequest& request = *frame.mutable_offset_delete_request();
  request.set_group_id(group);
  for (const Target& target : command_.targets) {
    for (const auto& [where, leader] : facts_.leaders) {
      const bool meant = where.topic == target.topic &&
                         (!target.partition || *target.partition == where.partition);
      if (meant) add_partition(request, where);
    }
  }
  std::vector<Question> questions;
  questions.push_back({broker(facts_.groups[group].coordinator), std::move(frame)});
  const bool asked = co_await ask(std::move(questions), "OffsetDelete");
  if (!asked) co_return false;
  co_return nothing_refused(group);
}

Task<bool> Admin::reset() {
  const bool described = co_await describe();
  if (!described) co_return false;
  for (const std::string& group : groups_) {
    if (!can_be_reset(facts_.groups[group])) co_return fail(ErrorCode::kNonEmptyGroup, group);
  }
  if (!command_.execute) co_return true;
  for (const std::string& group : groups_) {
    const bool committed = co_await commit(group);
    if (!committed) co_return false;
  }
  co_return true;
}

Task<bool> Admin::commit(std::string group) {
  const GroupFacts& known = facts_.groups[group];
  wire::Frame frame;
  wire::OffsetCommitRequest& request = *frame.mutable_offset_commit_request();
  request.set_group_id(group);
  for (const auto& [where, offset] : reset_offsets(command_, known, facts_)) {
    add_partition(request, where)->set_committed_offset(offset.value());
  }
  if (request.topics().empty()) co_return true;
  std::vector<Question> questions;
  questions.push_back({broker(known.coordinator), std::move(frame)});
  const bool asked = co_await ask(std::move(questions), "OffsetCommit");
  if (!asked) co_return false;
  co_return nothing_refused(group);
}

Task<bool> Admin::remove_members() {
  const bool described = co_await describe();
  if (!described) co_return false;
  const std::string group = groups_.front();
  const GroupFacts& known = facts_.groups[group];
  wire::Frame frame;
  wire::LeaveGroupRequest& request = *frame.mutable_leave_group_request();
  request.set_group_id(group);
  for (const std::string& instance : command_.instances) {
    request.add_members()->set_group_instance_id(instance);
  }
  if (command_.instances.empty() && known.described) {
    for (const auto& member : known.described->members()) {
      auto* leaving = request.add_members();
      if (member.has_group_instance_id()) {
        leaving->set_group_instance_id(member.group_instance_id());
      } else {
        leaving->set_member_id(member.member_id());
      }
    }
  }
  for (auto& member : *request.mutable_members()) member.set_reason(std::string(kLeaveReason));
  if (request.members().empty()) co_return true;
  std::vector<Question> questions;
  questions.push_back({broker(known.coordinator), std::move(frame)});
  const bool asked = co_await ask(std::move(questions), "LeaveGroup");
  if (!asked) co_return false;
  co_return nothing_refused(group);
}

Task<bool> Admin::change_topics() {
  wire::Frame frame;
  for (const auto& [name, count] : command_.counts) {
    if (command_.verb == Verb::kCreateTopics) {
      auto* topic = frame.mutable_create_topics_request()->add_topics();
      topic->set_name(name);
      topic->set_num_partitions(count);
    } else if (command_.verb == Verb::kCreatePartitions) {
      auto* topic = frame.mutable_create_partitions_request()->add_topics();
      topic->set_name(name);
      topic->set_count(count);
    }
  }
  if (command_.verb == Verb::kDeleteTopics) {
    for (const Target& target : command_.targets) {
      frame.mutable_delete_topics_request()->add_topic_names(target.topic);
    }
  }
  // The first broker is the controller.
  std::vector<Question> questions;
  questions.push_back({std::vector{calls_.bootstrap().front()}, std::move(frame)});
  const bool asked = co_await ask(std::move(questions), "topics");
  if (!asked) co_return false;
  co_return nothing_refused("topics");
}

}  // namespace fencepost::admin
