#include "tests/broker/broker_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace fencepost::broker {

BrokerConfig test_config() {
  BrokerConfig config;
  config.topics = {{"orders", 3}, {"payments", 3}, {"invoices", 1}};
  config.initial_delay_ms = 0;
  return config;
}

BrokerWorld::BrokerWorld(BrokerConfig config) : config_(std::move(config)) {
  core_ = std::make_unique<BrokerCore>(config_);
  wire::Cause cause;
  cause.set_kind(wire::Cause::START);
  perform(core_->start(now_, cause), cause);
}

void BrokerWorld::restart() { restart_with(config_); }

void BrokerWorld::remove_obsolete() {
  const std::vector<StoredRowId> obsolete = core_->take_obsolete();
  // By partition, where its log begins by what is stored later.
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> begins;
  std::vector<wire::StoredRow> kept;
  for (const wire::StoredRow& row : rows_ | std::views::reverse) {
    const StoredRowId id{row.topic(), row.partition(), row.base_offset()};
    std::int64_t& begin = begins[{id.topic, id.partition}];
    if (id.base_offset < begin || std::ranges::count(obsolete, id) > 0) continue;
    if (is_deletion(row)) begin = id.base_offset;
    kept.push_back(row);
  }
  std::ranges::reverse(kept);
  rows_ = std::move(kept);
}

void BrokerWorld::restart_with(BrokerConfig config) {
  config_ = std::move(config);
  config_.incarnation = Incarnation(config_.incarnation.value() + 1);
  core_ = std::make_unique<BrokerCore>(config_);
  for (const wire::StoredRow& row : rows_) core_->apply(row);
  wire::Cause cause;
  cause.set_kind(wire::Cause::START);
  perform(core_->start(now_, cause), cause);
}

void BrokerWorld::perform(std::vector<Effect> effects, const wire::Cause& cause) {
  for (Effect& effect : effects) {
    if (auto* const respond = std::get_if<Respond>(&effect)) {
      const std::int32_t request = respond->to.correlation_id;
      EXPECT_FALSE(answers_.contains(request)) << "answered twice: " << request;
      answers_[request] = std::move(respond->response);
      causes_[request] = cause;
    } else if (auto* const append = std::get_if<Append>(&effect)) {
      rows_.push_back(std::move(append->row));
    } else if (auto* const report = std::get_if<Report>(&effect)) {
      events_.push_back(std::move(report->event));
    }
  }
}

std::int32_t BrokerWorld::send(const std::string& client, wire::Frame request) {
  const std::int32_t number = next_request_++;
  wire::Header* const header = request.mutable_header();
  header->set_source(client);
  header->set_source_incarnation(1);
  header->set_client_id(client);
  header->set_correlation_id(number);
  header->set_sequence(static_cast<std::uint64_t>(number));
  wire::Cause cause;
  cause.set_kind(wire::Cause::FRAME);
  cause.set_source(client);
  cause.set_sequence(header->sequence());
  cause.set_tick(now());
  perform(core_->handle(request, now_, cause), cause);
  return number;
}

std::optional<wire::Frame> BrokerWorld::answer(std::int32_t request) {
  const auto found = answers_.find(request);
  if (found == answers_.end()) return std::nullopt;
  return found->second;
}

void BrokerWorld::settle() {
  while (std::optional<BrokerCore::Expired> expired = core_->advance(now_)) {
    perform(std::move(expired->effects), expired->cause);
  }
}

void BrokerWorld::pass(std::int64_t ticks) {
  settle();
  for (std::int64_t i = 0; i < ticks; ++i) {
    now_ = now_ + TickSpan(1);
    settle();
  }
}

std::vector<wire::Event> BrokerWorld::events_named(std::string_view name) const {
  std::vector<wire::Event> named;
  for (const wire::Event& event : events_) {
    if (event.name() == name) named.push_back(event);
  }
  return named;
}

std::int32_t GroupWorld::join(const TestMember& member, const JoinTerms& terms) {
  wire::Frame frame;
  auto* const request = frame.mutable_join_group_request();
  request->set_group_id(terms.group);
  request->set_session_timeout_ms(terms.session_ms);
  request->set_rebalance_timeout_ms(terms.rebalance_ms);
  request->set_member_id(member.id);
  if (terms.instance) request->set_group_instance_id(*terms.instance);
  request->set_protocol_type(terms.type);
  for (const std::string& name : terms.protocols) {
    auto* const protocol = request->add_protocols();
    protocol->set_name(name);
    protocol->set_metadata(terms.metadata);
  }
  return send(member.client, std::move(frame));
}

std::int32_t GroupWorld::sync(const TestMember& member, std::int32_t generation,
                              const std::map<std::string, std::string>& assignments,
                              const std::optional<std::string>& instance) {
  wire::Frame frame;
  auto* const request = frame.mutable_sync_group_request();
  request->set_group_id("billing");
  request->set_generation_id(generation);
  request->set_member_id(member.id);
  if (instance) request->set_group_instance_id(*instance);
  const bool known = group() != nullptr && group()->protocol_type;
  request->set_protocol_type(known ? *group()->protocol_type : "consumer");
  request->set_protocol_name("range");
  for (const auto& [id, bytes] : assignments) {
    auto* const assignment = request->add_assignments();
    assignment->set_member_id(id);
    assignment->set_assignment(bytes);
  }
  return send(member.client, std::move(frame));
}

std::int32_t GroupWorld::heartbeat(const TestMember& member, std::int32_t generation,
                                   const std::optional<std::string>& instance) {
  wire::Frame frame;
  auto* const request = frame.mutable_heartbeat_request();
  request->set_group_id("billing");
  request->set_generation_id(generation);
  request->set_member_id(member.id);
  if (instance) request->set_group_instance_id(*instance);
  return send(member.client, std::move(frame));
}

std::int32_t GroupWorld::leave(const std::vector<TestMember>& members) {
  wire::Frame frame;
  auto* const request = frame.mutable_leave_group_request();
  request->set_group_id("billing");
  for (const TestMember& member : members) request->add_members()->set_member_id(member.id);
  return send(members.front().client, std::move(frame));
}

std::int32_t GroupWorld::commit(const TestMember& member, std::int32_t generation,
                                const std::string& topic, std::int32_t partition,
                                std::int64_t offset) {
  wire::Frame frame;
  auto* const request = frame.mutable_offset_commit_request();
  request->set_group_id("billing");
  request->set_generation_id(generation);
  request->set_member_id(member.id);
  auto* const data = request->add_topics();
  data->set_name(topic);
  auto* const committed = data->add_partitions();
  committed->set_partition_index(partition);
  committed->set_committed_offset(offset);
  return send(member.client, std::move(frame));
}

const std::optional<wire::Frame>& GroupWorld::peek(std::int32_t request) {
  std::optional<wire::Frame>& seen = seen_[request];
  if (!seen) seen = answer(request);
  return seen;
}

namespace {

ErrorCode error_of_others(const wire::Frame& frame) {
  if (frame.has_offset_fetch_response()) {
    return error_from_wire(frame.offset_fetch_response().groups(0).error_code());
  }
  if (frame.has_describe_groups_response()) {
    return error_from_wire(frame.describe_groups_response().groups(0).error_code());
  }
  if (frame.has_delete_groups_response()) {
    return error_from_wire(frame.delete_groups_response().results(0).error_code());
  }
  if (frame.has_offset_delete_response()) {
    const auto& response = frame.offset_delete_response();
    const bool whole = response.error_code() != 0;
    return error_from_wire(whole ? response.error_code()
                                 : response.topics(0).partitions(0).error_code());
  }
  return error_from_wire(frame.offset_commit_response().topics(0).partitions(0).error_code());
}

}  // namespace

ErrorCode GroupWorld::error(std::int32_t request) {
  const std::optional<wire::Frame>& frame = peek(request);
  if (!frame) {
    ADD_FAILURE() << "request " << request << " is parked";
    return ErrorCode::kUnknownServerError;
  }
  if (frame->has_join_group_response()) {
    return error_from_wire(frame->join_group_response().error_code());
  }
  if (frame->has_sync_group_response()) {
    return error_from_wire(frame->sync_group_response().error_code());
  }
  if (frame->has_heartbeat_response()) {
    return error_from_wire(frame->heartbeat_response().error_code());
  }
  if (frame->has_leave_group_response()) {
    const auto& response = frame->leave_group_response();
    const bool entry = response.error_code() == 0 && response.members_size() > 0;
    return error_from_wire(entry ? response.members(0).error_code() : response.error_code());
  }
  return error_of_others(*frame);
}

wire::JoinGroupResponse GroupWorld::joined(std::int32_t request) {
  const std::optional<wire::Frame>& frame = peek(request);
  EXPECT_TRUE(frame.has_value()) << "join " << request << " is parked";
  return frame ? frame->join_group_response() : wire::JoinGroupResponse();
}

wire::SyncGroupResponse GroupWorld::synced(std::int32_t request) {
  const std::optional<wire::Frame>& frame = peek(request);
  EXPECT_TRUE(frame.has_value()) << "sync " << request << " is parked";
  return frame ? frame->sync_group_response() : wire::SyncGroupResponse();
}

TestMember GroupWorld::reserve(const std::string& client, const JoinTerms& terms) {
  const wire::JoinGroupResponse answer = joined(join({client, ""}, terms));
  EXPECT_EQ(answer.error_code(), to_wire(ErrorCode::kMemberIdRequired));
  return {client, answer.member_id()};
}

std::vector<TestMember> GroupWorld::completing_group(const std::vector<std::string>& clients,
                                                     const JoinTerms& terms) {
  std::vector<TestMember> members;
  for (const std::string& client : clients) members.push_back(reserve(client, terms));
  for (const TestMember& member : members) join(member, terms);
  settle();  // the initial delay is 0
  if (state() == "P") pass(1);
  EXPECT_EQ(state(), "C");
  return members;
}

std::vector<TestMember> GroupWorld::stable_group(const std::vector<std::string>& clients,
                                                 const JoinTerms& terms) {
  std::vector<TestMember> members = completing_group(clients, terms);
  std::map<std::string, std::string> assignments;
  for (const TestMember& member : members) assignments[member.id] = "of " + member.client;
  for (const TestMember& member : members) {
    const bool leads = member.id == group()->leader->value();
    sync(member, generation(), leads ? assignments : std::map<std::string, std::string>());
  }
  EXPECT_EQ(state(), "S");
  return members;
}

std::int64_t GroupWorld::committed(const std::string& topic, std::int32_t partition) {
  wire::Frame frame;
  auto* const wanted = frame.mutable_offset_fetch_request()->add_groups();
  wanted->set_group_id("billing");
  auto* const of_topic = wanted->add_topics();
  of_topic->set_name(topic);
  of_topic->add_partition_indexes(partition);
  const std::optional<wire::Frame> frame_back = answer(send("A1", std::move(frame)));
  const auto& group = frame_back->offset_fetch_response().groups(0);
  EXPECT_EQ(group.error_code(), 0);
  return group.topics(0).partitions(0).committed_offset();
}

std::string GroupWorld::state() {
  if (group() == nullptr) return "A";
  return std::string(name_of(group()->state()).substr(0, 1));
}

}  // namespace fencepost::broker
