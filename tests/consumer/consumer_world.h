// A consumer of the demos' group with the scripted broker of client_world.h.
#pragma once

#include "consumer/consumer_node.h"
#include "consumer/core/topic_partitions.h"
#include "tests/common/client_world.h"

namespace fencepost::consumer {

using Settings = ClientWorld::Settings;

// The properties of the demos; later ones win.
inline ClientWorld::Settings demo_settings(const ClientWorld::Settings& extra = {}) {
  ClientWorld::Settings settings{
      {"group.id", "billing"},           {"app.subscribe", "orders,payments"},
      {"app.output", "invoices"},        {"session.timeout.ms", "6000"},
      {"heartbeat.interval.ms", "1000"}, {"max.poll.interval.ms", "12000"},
      {"max.poll.records", "3"},         {"auto.offset.reset", "earliest"},
      {"enable.auto.commit", "false"},   {"partition.assignment.strategy", "range"},
  };
  for (const auto& [name, value] : extra) settings[name] = value;
  return settings;
}

class ConsumerWorld : public ClientWorld {
 public:
  explicit ConsumerWorld(const Settings& extra = {})
      : ClientWorld(&make_consumer, Role::kConsumer, demo_settings(extra)) {}

  // Nobody's group: app.assign.
  struct Assigned {};
  ConsumerWorld(Assigned, const Settings& settings)
      : ClientWorld(&make_consumer, Role::kConsumer, settings) {}

  // Runs until the member is stable and has its first positions.
  void settle() { run_to(kSettled); }

  // The states that the client has entered, as "PREPARING_REBALANCE COMPLETING_REBALANCE STABLE".
  std::string states() const {
    std::string text;
    for (const Told& told : events_named(events::kClientState)) {
      if (!text.empty()) text += ' ';
      text += told.value("to");
    }
    return text;
  }

  // Metadata with FindCoordinator, JoinGroup twice, SyncGroup, OffsetFetch, ListOffsets: two ticks
  // each. each.
  static constexpr std::int64_t kSettled = 12;
};

}  // namespace fencepost::consumer
