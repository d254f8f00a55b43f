#include "consumer/core/group_leader.h"

#include <set>

#include "common/check.h"
#include "common/events.h"

namespace fencepost::consumer {
namespace {

// A member id is its client id, a dash and a UUID; people know the client id.
std::string client_of(const MemberId& id) {
  constexpr std::size_t kSuffix = 37;
  const std::string& text = id.value();
  const bool generated = text.size() > kSuffix && text[text.size() - kSuffix] == '-';
  return generated ? text.substr(0, text.size() - kSuffix) : text;
}

std::vector<MemberSubscription> subscriptions_of(const wire::JoinGroupResponse& response) {
  std::vector<MemberSubscription> members;
  for (const auto& member : response.members()) {
    MemberSubscription subscription;
    subscription.member_id = MemberId(member.member_id());
    if (member.has_group_instance_id()) subscription.instance_id = member.group_instance_id();
    wire::ConsumerProtocolSubscription message;
    if (message.ParseFromString(member.metadata())) {
      subscription.topics.assign(message.topics().begin(), message.topics().end());
      subscription.owned = read_partitions(message.owned_partitions());
      subscription.generation = Generation(message.generation_id());
      subscription.user_data = message.user_data();
    }
    members.push_back(std::move(subscription));
  }
  return members;
}

std::vector<std::string> topics_of(const std::vector<MemberSubscription>& members) {
  std::set<std::string> topics;
  for (const MemberSubscription& member : members) {
    topics.insert(member.topics.begin(), member.topics.end());
  }
  return {topics.begin(), topics.end()};
}

wire::SyncGroupRequest to_request(const GroupAssignment& assignment) {
  wire::SyncGroupRequest request;
  for (const auto& [member_id, partitions] : assignment) {
    wire::ConsumerProtocolAssignment message;
    write_partitions(partitions, message.mutable_assigned_partitions());
    message.set_version(0);
    auto* entry = request.add_assignments();
    entry->set_member_id(member_id.value());
    entry->set_assignment(message.SerializeAsString());
  }
  return request;
}

}  // namespace

GroupLeader::GroupLeader(Client& client, const ConsumerConfig& config, Metadata& metadata)
    : client_(client), config_(config), metadata_(metadata) {
  for (const std::string& name : config_.strategies) {
    assignors_.push_back(make_assignor(name, config_.sticky_rule));
    CHECK(assignors_.back(), "{} is an assignor that nobody has written", name);
  }
}

const Assignor* GroupLeader::assignor(std::string_view name) const {
  for (const auto& candidate : assignors_) {
    if (candidate->name() == name) return candidate.get();
  }
  return nullptr;
}

Task<ClientResult<wire::SyncGroupRequest>> GroupLeader::assign(
    const wire::JoinGroupResponse& response) {
  const Assignor* chosen = assignor(response.protocol_name());
  if (!chosen) co_return client_error(ErrorCode::kInconsistentGroupProtocol);
  AssignorInput input;
  input.members = subscriptions_of(response);
  topics_ = topics_of(input.members);
  co_await learn_topics(topics_);
  input.partition_counts = counts_of(topics_);
  watched_ = input.partition_counts;
  if (response.skip_assignment()) co_return wire::SyncGroupRequest();
  const GroupAssignment assignment = chosen->assign(input);
  report(response, assignment);
  co_return to_request(assignment);
}

// Topics that only other members subscribe to are new to this one. Kafka waits for one update.
Task<void> GroupLeader::learn_topics(std::vector<std::string> topics) {
  metadata_.want(topics);
  if (!metadata_.stale()) co_return;
  const Tick deadline = client_.now() + config_.api_timeout;
  metadata_.maybe_refresh();
  co_await metadata_.refreshed(deadline);
}

GroupLeader::Counts GroupLeader::counts_of(const std::vector<std::string>& topics) const {
  Counts counts;
  for (const std::string& topic : topics) {
    const std::optional<std::int32_t> count = metadata_.partition_count(topic);
    if (count) counts[topic] = *count;
  }
  return counts;
}

bool GroupLeader::partitions_changed() const { return watched_ && *watched_ != counts_of(topics_); }

void GroupLeader::report(const wire::JoinGroupResponse& response,
                         const GroupAssignment& assignment) {
  std::string text;
  for (const auto& [member_id, partitions] : assignment) {
    if (!text.empty()) text += ';';
    text += client_of(member_id) + "=" + to_text(partitions);
  }
  client_.report(events::make(events::kAssignmentComputed,
                              {{"group", config_.group->value()},
                               {"generation", std::to_string(response.generation_id())},
                               {"assignor", response.protocol_name()},
                               {"assignment", text}}));
}

}  // namespace fencepost::consumer
