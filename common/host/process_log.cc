#include "common/host/process_log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <string_view>
#include <utility>

namespace fencepost {
namespace {

constexpr std::int64_t kBeforeFirstTick = -1;

// %* in the pattern: " tick 12", or nothing before the first.
class TickFlag : public spdlog::custom_flag_formatter {
 public:
  explicit TickFlag(std::shared_ptr<std::int64_t> tick) : tick_(std::move(tick)) {}

  void format(const spdlog::details::log_msg&, const std::tm&, spdlog::memory_buf_t& out) override {
    if (*tick_ == kBeforeFirstTick) return;
    const std::string text = " tick " + std::to_string(*tick_);
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<TickFlag>(tick_);
  }

 private:
  std::shared_ptr<std::int64_t> tick_;
};

}  // namespace

ProcessLog::ProcessLog(const std::string& process, const std::string& level)
    : tick_(std::make_shared<std::int64_t>(kBeforeFirstTick)),
      logger_(std::make_shared<spdlog::logger>(process,
                                               std::make_shared<spdlog::sinks::stderr_sink_st>())) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<TickFlag>('*', tick_).set_pattern("%H:%M:%S.%e %l [%n%*] %v");
  logger_->set_formatter(std::move(formatter));
  logger_->set_level(spdlog::level::from_str(level));
  logger_->flush_on(spdlog::level::trace);
}

bool is_log_level(const std::string& level) {
  constexpr auto kLevels = std::to_array<std::string_view>(
      {"trace", "debug", "info", "warn", "warning", "error", "critical", "off"});
  for (const std::string_view known : kLevels) {
    if (level == known) return true;
  }
  return false;
}

}  // namespace fencepost
