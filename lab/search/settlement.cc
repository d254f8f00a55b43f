#include "lab/search/settlement.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/capture_file.h"
#include "common/events.h"
#include "proto/group.pb.h"

namespace fencepost::lab {
namespace {

using Topics = std::set<std::string>;

Topics topics_of(const wire::JoinGroupRequest& request) {
  Topics topics;
  for (const auto& protocol : request.protocols()) {
    wire::ConsumerProtocolSubscription subscription;
    if (!subscription.ParseFromString(protocol.metadata())) continue;
    topics.insert(subscription.topics().begin(), subscription.topics().end());
  }
  return topics;
}

// What the end of a capture shows: what each living member subscribes to, and how many partitions
// there are.
struct Standing {
  std::map<std::string, Topics> subscriptions;  // by process
  std::map<std::string, std::int32_t> partitions;

  void take(const wire::CaptureRecord& record);
  void take(const wire::Event& event);
};

void Standing::take(const wire::Event& event) {
  if (event.name() != events::kPartitionsAdded) return;
  const auto count = parse_integer(events::value_of(event, "partitions"));
  if (count) {
    partitions[std::string(events::value_of(event, "topic"))] = static_cast<std::int32_t>(*count);
  }
}

void Standing::take(const wire::CaptureRecord& record) {
  if (record.has_header()) {
    for (const wire::TopicName& topic : record.header().topics()) {
      partitions[topic.topic()] = topic.partitions();
    }
  } else if (record.has_lifecycle()) {
    const wire::Lifecycle::Kind kind = record.lifecycle().kind();
    const bool gone = kind == wire::Lifecycle::KILL || kind == wire::Lifecycle::EXIT;
    if (gone) subscriptions.erase(record.lifecycle().process());
  } else if (record.has_packet() && record.packet().frame().has_join_group_request()) {
    const wire::Frame& frame = record.packet().frame();
    subscriptions[frame.header().source()] = topics_of(frame.join_group_request());
  } else if (record.has_occurrence()) {
    take(record.occurrence().event());
  }
}

void check_partition(const TopicPartition& where, const std::set<std::string>& wanted_by,
                     const History& history, Verdict& verdict) {
  bool owned = false;
  for (const Ownership& ownership : history.ownerships) {
    const bool its = ownership.partition == where && !ownership.to && !ownership.evicted;
    if (!its) continue;
    owned = true;
    if (wanted_by.contains(ownership.process)) continue;
    verdict.details.push_back(fmt::format("{} owns {} and does not subscribe to {}",
                                          ownership.process, history.names.short_name(where),
                                          where.topic));
  }
  if (!owned && !wanted_by.empty()) {
    verdict.details.push_back(fmt::format("nobody owns {}, though {} subscribes to {}",
                                          history.names.short_name(where), *wanted_by.begin(),
                                          where.topic));
  }
}

}  // namespace

Verdict check_settlement(const std::string& capture, const History& history) {
  Standing standing;
  CaptureReader reader(capture);
  while (const auto record = reader.next()) standing.take(*record);
  Verdict verdict;
  verdict.subject = "every partition has an owner in the end";
  for (const auto& [topic, count] : standing.partitions) {
    std::set<std::string> wanted_by;
    for (const auto& [process, topics] : standing.subscriptions) {
      if (topics.contains(topic)) wanted_by.insert(process);
    }
    for (std::int32_t index = 0; index < count; ++index) {
      check_partition({topic, PartitionId(index)}, wanted_by, history, verdict);
    }
  }
  if (!verdict.details.empty()) verdict.outcome = Verdict::Outcome::kInvalid;
  return verdict;
}

}  // namespace fencepost::lab
