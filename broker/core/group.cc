#include "broker/core/group.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace fencepost::broker {
namespace {

bool lists(const Member& member, const std::string& protocol) {
  return std::ranges::any_of(member.protocols,
                             [&](const GroupProtocol& own) { return own.name == protocol; });
}

Member loaded_member(const wire::GroupMetadataValue::Member& stored,
                     const wire::GroupMetadataValue& group) {
  Member member;
  member.id = MemberId(stored.member_id());
  member.instance_id = instance_id_of(stored);
  member.client_id = stored.client_id();
  member.client_host = stored.client_host();
  member.session_timeout_ms = stored.session_timeout_ms();
  member.rebalance_timeout_ms = stored.rebalance_timeout_ms();
  member.protocol_type = group.protocol_type();
  member.protocols = {{group.protocol(), stored.subscription()}};
  member.assignment = stored.assignment();
  member.is_new = false;
  return member;
}

}  // namespace

const std::string& Member::metadata_for(const std::string& protocol) const {
  static const std::string kNothing;
  const auto found = std::ranges::find(protocols, protocol, &GroupProtocol::name);
  return found == protocols.end() ? kNothing : found->metadata;
}

Group::Group(GroupId group_id, const wire::GroupMetadataValue& stored)
    : id(std::move(group_id)),
      status(stored.members().empty() ? GroupState::kEmpty : GroupState::kStable,
             stored.current_state_timestamp()),
      generation(stored.generation()) {
  if (!stored.protocol_type().empty()) protocol_type = stored.protocol_type();
  if (stored.has_protocol()) protocol_name = stored.protocol();
  if (stored.has_leader()) leader = MemberId(stored.leader());
  for (const auto& member : stored.members()) {
    Member loaded = loaded_member(member, stored);
    if (loaded.instance_id) static_ids.emplace(*loaded.instance_id, loaded.id);
    members.emplace(loaded.id, std::move(loaded));
  }
  subscribed = subscribed_topics();
}

Member* Group::find(const MemberId& member) {
  const auto found = members.find(member);
  return found == members.end() ? nullptr : &found->second;
}

std::int64_t Group::rebalance_timeout_ms() const {
  std::int64_t largest = 0;
  for (const auto& [member_id, member] : members) {
    largest = std::max<std::int64_t>(largest, member.rebalance_timeout_ms);
  }
  return largest;
}

std::size_t Group::parked_joins() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      members, [](const auto& entry) { return entry.second.parked_join.has_value(); }));
}

std::size_t Group::metadata_bytes_without(const MemberId& without) const {
  std::size_t bytes = 0;
  for (const auto& [member_id, member] : members) {
    if (member_id == without) continue;
    for (const GroupProtocol& protocol : member.protocols) bytes += protocol.metadata.size();
  }
  return bytes;
}

bool Group::all_joined() const { return parked_joins() == members.size() && pending_join.empty(); }

bool Group::supports_one_of(const std::vector<GroupProtocol>& protocols) const {
  return std::ranges::any_of(protocols, [this](const GroupProtocol& protocol) {
    return std::ranges::all_of(
        members, [&](const auto& entry) { return lists(entry.second, protocol.name); });
  });
}

std::string Group::vote() const {
  std::map<std::string, int> votes;
  for (const auto& [member_id, member] : members) {
    const auto choice = std::ranges::find_if(member.protocols, [this](const GroupProtocol& own) {
      return std::ranges::all_of(members,
                                 [&](const auto& other) { return lists(other.second, own.name); });
    });
    CHECK(choice != member.protocols.end(), "group {} has no common protocol", id.value());
    ++votes[choice->name];
  }
  CHECK(!votes.empty(), "group {} votes without members", id.value());
  const auto by_votes = [](const auto& left, const auto& right) {
    return left.second < right.second;
  };
  return std::ranges::max_element(votes, by_votes)->first;  // the first of equals
}

Result<void> Group::validate_member(const MemberId& member,
                                    const std::optional<std::string>& instance_id) const {
  if (instance_id) {
    const auto holder = static_ids.find(*instance_id);
    if (holder == static_ids.end()) return ErrorCode::kUnknownMemberId;
    if (holder->second != member) return ErrorCode::kFencedInstanceId;
  }
  if (!members.contains(member)) return ErrorCode::kUnknownMemberId;
  return {};
}

std::optional<std::set<std::string>> Group::subscribed_topics() const {
  std::set<std::string> topics;
  if (!protocol_type) return std::nullopt;
  if (members.empty()) return topics;
  if (!is_consumer_group() || !protocol_name) return std::nullopt;
  for (const auto& [member_id, member] : members) {
    wire::ConsumerProtocolSubscription subscription;
    if (!subscription.ParseFromString(member.metadata_for(*protocol_name))) return std::nullopt;
    topics.insert(subscription.topics().begin(), subscription.topics().end());
  }
  return topics;
}

bool Group::is_subscribed_to(const std::string& topic) const {
  return subscribed ? subscribed->contains(topic) : is_consumer_group();
}

std::string Group::member_list() const {
  std::string list;
  for (const auto& [member_id, member] : members) {
    if (!list.empty()) list += ',';
    list += member_id.value();
  }
  return list;
}

wire::GroupMetadataValue Group::to_record() const {
  wire::GroupMetadataValue value;
  value.set_protocol_type(protocol_type.value_or(""));
  value.set_generation(generation.value());
  if (protocol_name) value.set_protocol(*protocol_name);
  if (leader) value.set_leader(leader->value());
  value.set_current_state_timestamp(status.since_ms());
  for (const auto& [member_id, member] : members) {
    auto* const stored = value.add_members();
    stored->set_member_id(member_id.value());
    if (member.instance_id) stored->set_group_instance_id(*member.instance_id);
    stored->set_client_id(member.client_id);
    stored->set_client_host(member.client_host);
    stored->set_rebalance_timeout_ms(member.rebalance_timeout_ms);
    stored->set_session_timeout_ms(member.session_timeout_ms);
    stored->set_subscription(member.metadata_for(protocol_name.value_or("")));
    stored->set_assignment(member.assignment);
  }
  return value;
}

std::vector<GroupProtocol> protocols_of(const wire::JoinGroupRequest& request) {
  std::vector<GroupProtocol> protocols;
  for (const auto& protocol : request.protocols()) {
    protocols.push_back({protocol.name(), protocol.metadata()});
  }
  return protocols;
}

}  // namespace fencepost::broker
