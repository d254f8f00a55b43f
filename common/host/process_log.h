// The log of one process, for people: stderr, each line with the process and the tick.
#pragma once

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>

#include "common/ids.h"

namespace fencepost {

class ProcessLog {
 public:
  // `level` is one of spdlog's: debug, info, warn, error, off.
  ProcessLog(const std::string& process, const std::string& level);

  // Lines from now on carry this tick.
  void set_tick(Tick tick) { *tick_ = tick.value(); }
  spdlog::logger* operator->() const { return logger_.get(); }

 private:
  std::shared_ptr<std::int64_t> tick_;
  std::shared_ptr<spdlog::logger> logger_;
};

// Is this the name of a level?
bool is_log_level(const std::string& level);

}  // namespace fencepost
