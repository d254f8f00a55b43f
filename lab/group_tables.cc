#include "lab/group_tables.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "admin/resets.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

using admin::Facts;
using admin::GroupFacts;
using Cell = std::optional<std::string>;
using Described = wire::DescribeGroupsResponse::Group;
using Member = wire::DescribeGroupsResponse::Member;

// The widths of Kafka's tool.
constexpr std::size_t kName = 15;
constexpr std::size_t kNumber = 15;
constexpr std::size_t kPartition = 10;
constexpr std::size_t kInstance = 17;
constexpr std::size_t kCoordinator = 25;
constexpr std::size_t kState = 20;
constexpr std::size_t kResetName = 30;

Cell number(const std::map<TopicPartition, Offset>& offsets, const TopicPartition& where) {
  const auto found = offsets.find(where);
  if (found == offsets.end()) return std::nullopt;
  return std::to_string(found->second.value());
}

// ---- one group ----

struct Row {
  TopicPartition where;
  const Member* member = nullptr;
};

// As Kafka's tool has them: by member, who has most partitions first, then what nobody has.
std::vector<Row> rows_of(const GroupFacts& group) {
  std::vector<const Member*> members;
  for (const Member& member : group.described->members()) members.push_back(&member);
  std::ranges::stable_sort(members, {}, &Member::member_id);
  std::ranges::stable_sort(members, std::greater(),
                           [](const Member* member) { return admin::assigned_to(*member).size(); });
  std::vector<Row> rows;
  std::set<TopicPartition> free = admin::partitions_of(group);
  for (const Member* member : members) {
    for (const TopicPartition& where : admin::assigned_to(*member)) {
      rows.push_back({where, member});
      free.erase(where);
    }
  }
  for (const TopicPartition& where : free) rows.push_back({where, nullptr});
  return rows;
}

Cell lag_of(const Facts& facts, const GroupFacts& group, const TopicPartition& where) {
  const auto end = facts.latest.find(where);
  if (!group.committed || end == facts.latest.end()) return std::nullopt;
  const auto committed = group.committed->find(where);
  if (committed == group.committed->end()) return std::nullopt;
  return std::to_string(end->second.value() - committed->second.value());
}

Table offsets_table(const Facts& facts, const GroupFacts& group, bool more) {
  Table table;
  table.columns = {{"GROUP", "group", kName},
                   {"TOPIC", "topic", kName},
                   {"PARTITION", "partition", kPartition, true}};
  if (more) table.columns.push_back({"LOG-START-OFFSET", "logStartOffset", kNumber, true});
  const std::vector<Column> rest = {{"CURRENT-OFFSET", "currentOffset", kNumber, true},
                                    {"LOG-END-OFFSET", "logEndOffset", kNumber, true},
                                    {"LAG", "lag", kNumber, true},
                                    {"CONSUMER-ID", "consumerId", kName},
                                    {"HOST", "host", kName},
                                    {"CLIENT-ID", "clientId", 0}};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  const admin::Offsets none;
  const admin::Offsets& committed = group.committed ? *group.committed : none;
  for (const auto& [where, member] : rows_of(group)) {
    std::vector<Cell> row = {group.described->group_id(), where.topic,
                             std::to_string(where.partition.value())};
    if (more) row.push_back(number(facts.earliest, where));
    row.push_back(number(committed, where));
    row.push_back(number(facts.latest, where));
    row.push_back(lag_of(facts, group, where));
    row.push_back(member == nullptr ? Cell() : member->member_id());
    row.push_back(member == nullptr ? Cell() : member->client_host());
    row.push_back(member == nullptr ? Cell() : member->client_id());
    table.rows.push_back(std::move(row));
  }
  return table;
}

// "orders(0,1), payments(0)"
Cell assignment_text(const std::set<TopicPartition>& partitions) {
  if (partitions.empty()) return std::nullopt;
  std::string text;
  std::string topic;
  for (const TopicPartition& where : partitions) {
    const bool same = where.topic == topic;
    if (!same && !text.empty()) text += "), ";
    text += same ? "," : where.topic + "(";
    text += std::to_string(where.partition.value());
    topic = where.topic;
  }
  return text + ")";
}

Table members_table(const Described& group, bool verbose) {
  const bool any_static = std::ranges::any_of(
      group.members(), [](const Member& member) { return member.has_group_instance_id(); });
  Table table;
  table.columns = {{"GROUP", "group", kName}, {"CONSUMER-ID", "consumerId", kName}};
  if (any_static) table.columns.push_back({"GROUP-INSTANCE-ID", "groupInstanceId", kInstance});
  table.columns.push_back({"HOST", "host", kName});
  table.columns.push_back({"CLIENT-ID", "clientId", kName});
  table.columns.push_back({"#PARTITIONS", "partitions", kNumber, true});
  if (verbose) table.columns.push_back({"ASSIGNMENT", "assignment", 0});
  for (const Member& member : group.members()) {
    const std::set<TopicPartition> assigned = admin::assigned_to(member);
    std::vector<Cell> row = {group.group_id(), member.member_id()};
    if (any_static) {
      row.push_back(member.has_group_instance_id() ? Cell(member.group_instance_id()) : Cell());
    }
    row.push_back(member.client_host());
    row.push_back(member.client_id());
    row.push_back(std::to_string(assigned.size()));
    if (verbose) row.push_back(assignment_text(assigned));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Cell coordinator_text(const Facts& facts, const GroupFacts& group) {
  if (!group.coordinator) return std::nullopt;
  const auto broker = facts.brokers.find(*group.coordinator);
  if (broker == facts.brokers.end()) return std::nullopt;
  return fmt::format("{}:{}  ({})", broker->second.host, broker->second.port,
                     group.coordinator->value());
}

Cell or_missing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Table state_table(const Facts& facts, const GroupFacts& group) {
  Table table;
  table.columns = {{"GROUP", "group", kName},
                   {"COORDINATOR (ID)", "coordinator", kCoordinator},
                   {"ASSIGNMENT-STRATEGY", "assignmentStrategy", kState},
                   {"STATE", "state", kState},
                   {"#MEMBERS", "members", 0, true}};
  const Described& described = *group.described;
  table.rows.push_back({described.group_id(), coordinator_text(facts, group),
                        or_missing(described.protocol_data()), described.group_state(),
                        std::to_string(described.members_size())});
  return table;
}

// What Kafka's tool does not know: from the coordinator's events.
Table standing_table(const GroupFacts& group, const GroupStanding& standing) {
  Table table;
  table.columns = {{"GROUP", "group", kName},
                   {"STATE", "state", kState},
                   {"GENERATION", "generation", kPartition, true},
                   {"SINCE-TICK", "sinceTick", kPartition, true},
                   {"LAST-REBALANCE", "lastRebalance", 0}};
  table.rows.push_back({group.described->group_id(), group.described->group_state(),
                        or_missing(standing.generation), std::to_string(standing.since.value()),
                        or_missing(without_uuids(standing.rebalance_reason))});
  return table;
}

// ---- warnings and errors ----

// Adds what the tool says of the group's state; false if there is no such group.
bool note_state(const std::string& name, const GroupFacts* group, GroupAnswer& answer) {
  const std::string state =
      group == nullptr || !group->described ? "" : group->described->group_state();
  if (state.empty() || state == "Dead") {
    answer.errors.push_back(fmt::format("Consumer group '{}' does not exist.", name));
    return false;
  }
  if (state == "Empty") {
    answer.notes.push_back(fmt::format("Consumer group '{}' has no active members.", name));
  } else if (state != "Stable") {
    answer.notes.push_back(fmt::format("Warning: Consumer group '{}' is rebalancing.", name));
  }
  return true;
}

std::string reason_of(ErrorCode error) {
  return fmt::format("{}: {}", info(error).exception, info(error).meaning);
}

}  // namespace

GroupAnswer describe_groups(const Facts& facts, const std::vector<std::string>& groups,
                            GroupView view, const std::map<std::string, GroupStanding>& standings) {
  GroupAnswer answer;
  for (const std::string& name : groups) {
    const auto found = facts.groups.find(name);
    const GroupFacts* group = found == facts.groups.end() ? nullptr : &found->second;
    if (!note_state(name, group, answer)) continue;
    const auto standing = standings.find(name);
    switch (view) {
      case GroupView::kMore:
        if (standing != standings.end()) {
          answer.tables.push_back(standing_table(*group, standing->second));
        }
        answer.tables.push_back(offsets_table(facts, *group, true));
        break;
      case GroupView::kOffsets:
        answer.tables.push_back(offsets_table(facts, *group, false));
        break;
      case GroupView::kMembers:
      case GroupView::kAssignments:
        answer.tables.push_back(members_table(*group->described, view == GroupView::kAssignments));
        break;
      case GroupView::kState:
        answer.tables.push_back(state_table(facts, *group));
        break;
    }
  }
  // A table of nothing is no table.
  std::erase_if(answer.tables, [](const Table& table) { return table.rows.empty(); });
  return answer;
}

GroupAnswer list_groups(const Facts& facts, bool with_states) {
  GroupAnswer answer;
  Table table;
  table.columns = {{"GROUP", "group", kName}, {"STATE", "state", 0}};
  for (const auto& [name, group] : facts.listed) {
    if (!with_states) answer.text += name + "\n";
    table.rows.push_back({name, group.group_state()});
  }
  if (with_states) answer.tables.push_back(std::move(table));
  return answer;
}

GroupAnswer deleted_groups(const Facts& facts, const std::vector<std::string>& groups) {
  GroupAnswer answer;
  std::vector<std::string> gone;
  std::vector<std::string> kept;
  for (const std::string& name : groups) {
    const auto found = facts.groups.find(name);
    const ErrorCode error = found == facts.groups.end()
                                ? ErrorCode::kUnknownServerError
                                : found->second.deleted.value_or(ErrorCode::kUnknownServerError);
    if (error == ErrorCode::kNone) {
      gone.push_back("'" + name + "'");
    } else {
      kept.push_back(
          fmt::format("* Group '{}' could not be deleted due to: {}", name, reason_of(error)));
    }
  }
  if (kept.empty()) {
    answer.text = fmt::format("Deletion of requested consumer groups ({}) was successful.\n",
                              fmt::join(gone, ", "));
    return answer;
  }
  answer.errors.push_back("Deletion of some consumer groups failed:");
  for (std::string& line : kept) answer.errors.back() += "\n" + line;
  if (!gone.empty()) {
    answer.text = fmt::format("\nThese consumer groups were deleted successfully: {}\n",
                              fmt::join(gone, ", "));
  }
  return answer;
}

GroupAnswer deleted_offsets(const Facts& facts, const admin::AdminCommand& command) {
  GroupAnswer answer;
  const std::string& group = command.groups.front();
  if (facts.refused) {
    answer.errors.push_back(fmt::format("Group '{}': {}", group, reason_of(*facts.refused)));
    return answer;
  }
  Table table;
  table.columns = {{"TOPIC", "topic", kResetName},
                   {"PARTITION", "partition", kNumber, true},
                   {"STATUS", "status", kNumber}};
  bool failed = facts.changed.empty();
  for (const auto& [where, error] : facts.changed) {
    const bool ok = error == ErrorCode::kNone;
    failed = failed || !ok;
    table.rows.push_back({where.topic, std::to_string(where.partition.value()),
                          ok ? "Successful" : "Error: " + reason_of(error)});
  }
  if (facts.changed.empty()) {
    answer.errors.push_back("There is no such topic or partition.");
  } else if (failed) {
    answer.errors.push_back("Encountered some partition level error, see the follow-up details:");
  } else {
    std::set<std::string> topics;
    for (const admin::Target& target : command.targets) topics.insert(target.topic);
    answer.text = fmt::format("Request succeeded for deleting offsets with topic {} group {}\n",
                              fmt::join(topics, ","), group);
  }
  if (!table.rows.empty()) answer.tables.push_back(std::move(table));
  return answer;
}

GroupAnswer reset_groups(const Facts& facts, const admin::AdminCommand& command,
                         const std::vector<std::string>& groups, bool as_csv) {
  GroupAnswer answer;
  Table table;
  table.columns = {{"GROUP", "group", kResetName},
                   {"TOPIC", "topic", kResetName},
                   {"PARTITION", "partition", kPartition, true},
                   {"NEW-OFFSET", "newOffset", 0, true}};
  for (const std::string& name : groups) {
    const auto found = facts.groups.find(name);
    if (found == facts.groups.end() || !found->second.described) {
      answer.errors.push_back(fmt::format("Consumer group '{}' does not exist.", name));
      continue;
    }
    const GroupFacts& group = found->second;
    if (!admin::can_be_reset(group)) {
      answer.errors.push_back(
          fmt::format("Assignments can only be reset if the group '{}' is inactive, but the "
                      "current state is {}.",
                      name, group.described->group_state()));
      continue;
    }
    for (const TopicPartition& where : admin::reset_partitions(command, group, facts)) {
      if (facts.leaders.contains(where)) continue;
      answer.errors.push_back(fmt::format("The partition \"{}\" does not exist", to_string(where)));
    }
    for (const auto& [where, offset] : admin::reset_offsets(command, group, facts)) {
      const std::string partition = std::to_string(where.partition.value());
      const std::string to = std::to_string(offset.value());
      table.rows.push_back({name, where.topic, partition, to});
      if (!as_csv) continue;
      if (groups.size() > 1) answer.text += name + ",";
      answer.text += fmt::format("{},{},{}\n", where.topic, partition, to);
    }
    for (const auto& [where, error] : facts.changed) {
      if (error == ErrorCode::kNone) continue;
      answer.errors.push_back(fmt::format("{}: {}", to_string(where), reason_of(error)));
    }
  }
  if (!as_csv && !table.rows.empty()) answer.tables.push_back(std::move(table));
  return answer;
}

}  // namespace fencepost::lab
