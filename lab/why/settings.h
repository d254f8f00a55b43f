// What a process had for a property: set in its plan or its journal, or Kafka's default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lab/why/link.h"
#include "proto/plan.pb.h"

namespace fencepost::lab::why {

class Settings {
 public:
  // Without a plan nothing is known.
  Settings(const wire::Plan* plan, std::int64_t tick_ms);

  // Nothing if the process or the property is not known, or the property is not its role's.
  std::optional<Setting> of(const std::string& process, std::string_view property) const;
  // Of the first broker: all have the same.
  std::optional<Setting> of_broker(std::string_view property) const;
  // A time that the capture itself tells; it can be the default for all it says.
  Setting told(std::string_view property, std::int64_t ms) const;
  TickSpan ticks(std::int64_t ms) const;

 private:
  struct Process {
    std::string role;
    std::map<std::string, std::string, std::less<>> values;
  };

  std::int64_t tick_ms_;
  std::map<std::string, Process> processes_;
};

}  // namespace fencepost::lab::why
