#include "tests/lab/run_builder.h"

#include <optional>

#include "common/capture_file.h"
#include "common/events.h"
#include "lab/history_builder.h"

namespace fencepost::lab {
namespace {

constexpr const char* kGroup = "billing";

TopicPartition parsed(const std::string& name) { return parse_full_name(name).value(); }

void add_topic(wire::CaptureHeader& header, const char* topic, const char* name, int partitions) {
  wire::TopicName* added = header.add_topics();
  added->set_topic(topic);
  added->set_short_name(name);
  added->set_partitions(partitions);
}

}  // namespace

RunBuilder::RunBuilder() {
  wire::CaptureHeader& header = *add().mutable_header();
  header.set_scenario("by-hand");
  header.set_seed(1);
  header.set_tick_ms(1000);
  add_topic(header, "orders", "o", 3);
  add_topic(header, "payments", "p", 3);
  add_topic(header, "invoices", "i", 1);
}

wire::CaptureRecord& RunBuilder::add() {
  return records_.emplace_back(tick_, wire::CaptureRecord()).second;
}

RunBuilder& RunBuilder::at(std::int64_t tick) {
  tick_ = Tick(tick);
  return *this;
}

RunBuilder& RunBuilder::seeded(std::uint64_t seed) {
  records_.front().second.mutable_header()->set_seed(seed);
  return *this;
}

RunBuilder& RunBuilder::joins(const std::string& process, const std::string& role) {
  wire::Lifecycle& lifecycle = *add().mutable_lifecycle();
  lifecycle.set_kind(wire::Lifecycle::JOIN);
  lifecycle.set_process(process);
  lifecycle.set_incarnation(1);
  lifecycle.set_role(role);
  if (role != "consumer") return *this;
  wire::Frame& frame = packet(process, "B1");
  frame.mutable_join_group_request()->set_group_id(kGroup);
  return *this;
}

RunBuilder& RunBuilder::killed(const std::string& process) {
  wire::Lifecycle& lifecycle = *add().mutable_lifecycle();
  lifecycle.set_kind(wire::Lifecycle::KILL);
  lifecycle.set_process(process);
  lifecycle.set_incarnation(1);
  return *this;
}

RunBuilder& RunBuilder::stopped(const std::string& process) {
  wire::Lifecycle& lifecycle = *add().mutable_lifecycle();
  lifecycle.set_kind(wire::Lifecycle::FREEZE);
  lifecycle.set_process(process);
  lifecycle.set_incarnation(1);
  return *this;
}

RunBuilder& RunBuilder::heartbeats(const std::string& process) {
  auto* const request = packet(process, "B1").mutable_heartbeat_request();
  request->set_group_id(kGroup);
  request->set_member_id(process);
  packet("B1", process).mutable_heartbeat_response();
  return *this;
}

RunBuilder& RunBuilder::fires(int rule, const std::string& text) {
  wire::Fired& fired = *add().mutable_fired();
  fired.set_rule(rule);
  fired.set_text(text);
  return *this;
}

void RunBuilder::steps(const std::string& process) {
  wire::Step& step = *add().mutable_step();
  step.set_process(process);
  step.set_incarnation(1);
}

RunBuilder& RunBuilder::event(const std::string& process, std::string_view name,
                              Attributes attributes) {
  steps(process);
  *add().mutable_occurrence()->mutable_event() = events::make(name, attributes);
  return *this;
}

wire::Frame& RunBuilder::packet(const std::string& from, const std::string& to) {
  steps(from);
  wire::Packet& packet = *add().mutable_packet();
  packet.set_fate(wire::Packet::ARRIVES);
  packet.set_arrival_tick(tick_.value() + 1);
  wire::Header& header = *packet.mutable_frame()->mutable_header();
  header.set_source(from);
  header.set_source_incarnation(1);
  header.set_destination(to);
  return *packet.mutable_frame();
}

RunBuilder& RunBuilder::prepares(const std::string& from, const std::string& reason) {
  return event("B1", events::kGroupState,
               {{"group", kGroup},
                {"from", from},
                {"to", "PreparingRebalance"},
                {"generation", "0"},
                {"reason", reason},
                {"members", ""}});
}

RunBuilder& RunBuilder::forms(int generation, const Shares& shares, const std::string& assignor) {
  std::string members;
  std::string assignment;
  for (const auto& [process, partitions] : shares) {
    members += (members.empty() ? "" : ",") + process;
    assignment += (assignment.empty() ? "" : ";") + process + "=" + partitions;
  }
  const std::string number = std::to_string(generation);
  event("B1", events::kGroupState,
        {{"group", kGroup},
         {"from", "PreparingRebalance"},
         {"to", "CompletingRebalance"},
         {"generation", number},
         {"reason", "all members joined"},
         {"members", members}});
  event(shares.begin()->first, events::kAssignmentComputed,
        {{"group", kGroup},
         {"generation", number},
         {"assignor", assignor},
         {"assignment", assignment}});
  return event("B1", events::kGroupState,
               {{"group", kGroup},
                {"from", "CompletingRebalance"},
                {"to", "Stable"},
                {"generation", number},
                {"reason", "the leader sent the assignment"},
                {"members", members}});
}

RunBuilder& RunBuilder::syncs(const std::string& leader, int generation, const Shares& shares) {
  wire::SyncGroupRequest& request = *packet(leader, "B1").mutable_sync_group_request();
  request.set_group_id(kGroup);
  request.set_generation_id(generation);
  for (const auto& [member, partitions] : shares) {
    wire::ConsumerProtocolAssignment assignment;
    assignment.set_version(0);
    for (const std::string_view name : split(partitions, ',')) {
      const TopicPartition where = parsed(std::string(name));
      auto* topic = assignment.add_assigned_partitions();
      topic->set_topic(where.topic);
      topic->add_partitions(where.partition.value());
    }
    auto* share = request.add_assignments();
    share->set_member_id(member);
    share->set_assignment(assignment.SerializeAsString());
  }
  return *this;
}

RunBuilder& RunBuilder::assigned(const std::string& process, int generation,
                                 const std::string& partitions) {
  return event(process, events::kPartitionsAssigned,
               {{"group", kGroup},
                {"member", process},
                {"generation", std::to_string(generation)},
                {"partitions", partitions},
                {"owned", partitions}});
}

RunBuilder& RunBuilder::revoked(const std::string& process, int generation,
                                const std::string& partitions) {
  return event(process, events::kPartitionsRevoked,
               {{"group", kGroup},
                {"member", process},
                {"generation", std::to_string(generation)},
                {"partitions", partitions}});
}

RunBuilder& RunBuilder::lost(const std::string& process, int generation,
                             const std::string& partitions) {
  return event(process, events::kPartitionsLost,
               {{"group", kGroup},
                {"member", process},
                {"generation", std::to_string(generation)},
                {"partitions", partitions}});
}

RunBuilder& RunBuilder::removed(const std::string& process) {
  return event(
      "B1", events::kMemberRemoved,
      {{"group", kGroup}, {"member", process}, {"client", process}, {"reason", "session expired"}});
}

RunBuilder& RunBuilder::empties(const std::string& reason) {
  prepares("Stable", reason);
  return event("B1", events::kGroupState,
               {{"group", kGroup},
                {"from", "PreparingRebalance"},
                {"to", "Empty"},
                {"generation", "0"},
                {"reason", "no members left"},
                {"members", ""}});
}

RunBuilder& RunBuilder::answered(const std::string& process, const std::string& member) {
  packet("B1", process).mutable_join_group_response()->set_member_id(member);
  return *this;
}

RunBuilder& RunBuilder::fetches(const std::string& process, const std::string& partition,
                                std::int64_t offset) {
  const TopicPartition where = parsed(partition);
  auto* topic = packet(process, "B1").mutable_fetch_request()->add_topics();
  topic->set_topic(where.topic);
  auto* part = topic->add_partitions();
  part->set_partition(where.partition.value());
  part->set_fetch_offset(offset);
  return *this;
}

RunBuilder& RunBuilder::commits(const std::string& process, const std::string& partition,
                                std::int64_t offset) {
  const TopicPartition where = parsed(partition);
  wire::OffsetCommitRequest& request = *packet(process, "B1").mutable_offset_commit_request();
  request.set_group_id(kGroup);
  request.set_member_id(process);
  auto* topic = request.add_topics();
  topic->set_name(where.topic);
  auto* part = topic->add_partitions();
  part->set_partition_index(where.partition.value());
  part->set_committed_offset(offset);
  return stores(process, partition, offset);
}

RunBuilder& RunBuilder::stores(const std::string& process, const std::string& partition,
                               std::int64_t offset) {
  const TopicPartition where = parsed(partition);
  return event("B1", events::kOffsetCommitted,
               {{"group", kGroup},
                {"topic", where.topic},
                {"partition", std::to_string(where.partition.value())},
                {"offset", std::to_string(offset)},
                {"member", process},
                {"generation", "1"}});
}

RunBuilder& RunBuilder::told(const std::string& process, const std::string& partition,
                             std::int64_t offset) {
  const TopicPartition where = parsed(partition);
  auto* group = packet("B1", process).mutable_offset_fetch_response()->add_groups();
  group->set_group_id(kGroup);
  auto* topic = group->add_topics();
  topic->set_name(where.topic);
  auto* part = topic->add_partitions();
  part->set_partition_index(where.partition.value());
  part->set_committed_offset(offset);
  return *this;
}

RunBuilder& RunBuilder::resets(const std::string& process, const std::string& partition,
                               std::int64_t offset, const std::string& policy) {
  const TopicPartition where = parsed(partition);
  return event(process, events::kPositionReset,
               {{"topic", where.topic},
                {"partition", std::to_string(where.partition.value())},
                {"offset", std::to_string(offset)},
                {"policy", policy}});
}

RunBuilder& RunBuilder::member_id_required(const std::string& process) {
  packet("B1", process)
      .mutable_join_group_response()
      ->set_error_code(to_wire(ErrorCode::kMemberIdRequired));
  return *this;
}

RunBuilder& RunBuilder::refused(const std::string& process, ErrorCode error) {
  packet("B1", process).mutable_heartbeat_response()->set_error_code(to_wire(error));
  return *this;
}

RunBuilder& RunBuilder::appended(const std::string& producer, const std::string& partition,
                                 std::int64_t offset, const std::string& names) {
  const TopicPartition where = parsed(partition);
  return event("B1", events::kLogAppended,
               {{"topic", where.topic},
                {"partition", std::to_string(where.partition.value())},
                {"offset", std::to_string(offset)},
                {"count", std::to_string(split(names, ',').size())},
                {"records", names},
                {"producer", producer}});
}

RunBuilder& RunBuilder::invoices(const std::string& process, const std::string& record) {
  const std::string invoice = "inv(" + record + ")";
  event(process, events::kRecordSent,
        {{"record", invoice}, {"topic", "invoices"}, {"partition", "0"}});
  return appended(process, "invoices-0", invoices_++, invoice);
}

RunBuilder& RunBuilder::ends() {
  add().mutable_end()->set_reason("until");
  return *this;
}

History RunBuilder::history(const std::vector<Watch>& watches) const {
  HistoryBuilder builder(watches);
  for (const auto& [tick, record] : records_) builder.add(tick, record);
  return builder.take();
}

void RunBuilder::write(const std::string& path) const {
  CaptureWriter writer(path);
  std::optional<Tick> last;
  for (auto [tick, record] : records_) {
    if (tick != last) record.set_tick(tick.value());
    last = tick;
    writer.append(record);
  }
  writer.flush();
}

}  // namespace fencepost::lab
