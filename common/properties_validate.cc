// The checks that go over several properties of a process.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/pattern.h"
#include "common/properties.h"

namespace fencepost {
namespace {

void require(bool holds, std::string_view problem) {
  if (!holds) throw ConfigError(std::string(problem));
}

std::string with_value(const Properties& properties, std::string_view name) {
  return fmt::format("{} ({})", name, properties.get(name));
}

void require_less(const Properties& properties, std::string_view smaller, std::string_view larger) {
  require(properties.get_int(smaller) < properties.get_int(larger),
          fmt::format("{} must be less than {}", with_value(properties, smaller),
                      with_value(properties, larger)));
}

// Kafka raises its own default where it is too short, and refuses a value that was given.
void check_delivery(const Properties& properties, std::string_view request_timeout) {
  const std::int64_t needed = properties.get_int("linger.ms") + properties.get_int(request_timeout);
  require(
      !properties.has("delivery.timeout.ms") || properties.get_int("delivery.timeout.ms") >= needed,
      fmt::format("{} must be at least linger.ms + {} ({})",
                  with_value(properties, "delivery.timeout.ms"), request_timeout, needed));
}

void check_producing(const Properties& properties) {
  require(!properties.get_bool("enable.idempotence"),
          "enable.idempotence: only false works yet; see docs/deviations.md");
  require(properties.get("transactional.id").empty(),
          "transactional.id: transactions are not here yet; see docs/deviations.md");
}

void check_assignors(const Properties& properties) {
  constexpr std::string_view kName = "partition.assignment.strategy";
  require(!properties.get_list(kName).empty(), fmt::format("{} must name an assignor", kName));
}

// What is wrong with it; nothing if it is a regular expression.
std::optional<std::string> fault_of_pattern(const std::string& text) {
  try {
    const Pattern pattern(text);
    return std::nullopt;
  } catch (const ConfigError& error) {
    return error.what();
  }
}

void check_habits(const Properties& properties) {
  const std::string commit = properties.get("app.commit");
  for (const std::string_view name : {"app.commit.records", "app.commit.interval.ms"}) {
    require(commit == "after" || properties.get_int(name) == 0,
            fmt::format("{} needs app.commit=after", name));
  }
  require(commit != "before" || !properties.get_bool("app.worker"),
          "app.worker and app.commit=before exclude each other");
}

void check_consumer(const Properties& properties) {
  const bool in_group = !properties.get("group.id").empty();
  const bool by_pattern = !properties.get("app.subscribe.pattern").empty();
  const bool subscribes = by_pattern || !properties.get("app.subscribe").empty();
  const bool assigns = !properties.get("app.assign").empty();
  require_less(properties, "heartbeat.interval.ms", "session.timeout.ms");
  require(properties.get("group.protocol") == "classic",
          "group.protocol: consumer (KIP-848) is not here yet; see docs/deviations.md");
  require(!subscribes || !assigns, "app.subscribe and app.assign exclude each other");
  if (const auto fault = fault_of_pattern(properties.get("app.subscribe.pattern"))) {
    throw ConfigError("app.subscribe.pattern is no regular expression: " + *fault);
  }
  require(!by_pattern || properties.get("app.subscribe").empty(),
          "app.subscribe and app.subscribe.pattern exclude each other");
  require(!subscribes || in_group, "app.subscribe needs a group.id");
  require(in_group || !properties.has("enable.auto.commit") ||
              !properties.get_bool("enable.auto.commit"),
          "enable.auto.commit=true needs a group.id");
  check_habits(properties);
  check_assignors(properties);
  check_producing(properties);
  check_delivery(properties, "app.producer.request.timeout.ms");
}

void check_producer(const Properties& properties) {
  require(!properties.has("app.records") || !properties.has("app.schedule"),
          "app.records and app.schedule exclude each other");
  check_producing(properties);
  check_delivery(properties, "request.timeout.ms");
}

void check_broker(const Properties& properties) {
  require(properties.get_int("group.min.session.timeout.ms") <=
              properties.get_int("group.max.session.timeout.ms"),
          fmt::format("{} must not be larger than {}",
                      with_value(properties, "group.min.session.timeout.ms"),
                      with_value(properties, "group.max.session.timeout.ms")));
  require_less(properties, "group.consumer.heartbeat.interval.ms",
               "group.consumer.session.timeout.ms");
}

}  // namespace

void Properties::validate() const {
  if (role_ != Role::kBroker) {
    require(!get("bootstrap.servers").empty(), "bootstrap.servers is not set");
  }
  switch (role_) {
    case Role::kBroker:
      return check_broker(*this);
    case Role::kConsumer:
      return check_consumer(*this);
    case Role::kProducer:
      return check_producer(*this);
    case Role::kProbe:
      return require(!get("app.requests").empty(), "a probe needs app.requests");
    case Role::kAdmin:
      return require(!get("app.admin").empty(), "an admin needs app.admin");
  }
}

}  // namespace fencepost
