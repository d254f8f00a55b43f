#include "clock/core/script.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <string_view>

#include "clock/core/network.h"
#include "common/events.h"

namespace fencepost::clock {
namespace {

bool is_item_of(std::string_view list, std::string_view item) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == item) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

void collect_errors(const google::protobuf::Message& message, std::vector<std::int32_t>& codes) {
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->name() == "error_code") {
      const std::int32_t code = reflection->GetInt32(message, field);
      if (code != 0) codes.push_back(code);
    } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
      for (int i = 0; i < count; ++i) {
        collect_errors(reflection->GetRepeatedMessage(message, field, i), codes);
      }
      if (!field->is_repeated()) collect_errors(reflection->GetMessage(message, field), codes);
    }
  }
}

}  // namespace

std::vector<std::int32_t> error_codes(const wire::Frame& frame) {
  std::vector<std::int32_t> codes;
  if (is_response(frame)) collect_errors(frame, codes);
  return codes;
}

bool matches_event(const wire::Match& match, const std::string& process, const wire::Event& event) {
  if (match.has_api() || (match.has_process() && match.process() != process)) return false;
  if (match.has_event() && match.event() != event.name()) return false;
  return std::all_of(match.where().begin(), match.where().end(),
                     [&](const wire::Attribute& wanted) {
                       const std::string_view value = events::value_of(event, wanted.key());
                       return value == wanted.value() || is_item_of(value, wanted.value());
                     });
}

bool matches_packet(const wire::Match& match, const wire::Frame& frame) {
  if (!match.has_api() || match.api() != api_name(frame)) return false;
  if (match.has_process() && match.process() != frame.header().source()) return false;
  if (match.has_to() && match.to() != frame.header().destination()) return false;
  if (match.has_response() && match.response() != is_response(frame)) return false;
  return !match.error() || !error_codes(frame).empty();
}

Script::Script(const wire::Plan& plan) {
  for (int i = 0; i < plan.rules_size(); ++i) {
    const wire::Rule& rule = plan.rules(i);
    every_.push_back(rule.every());
    std::optional<Breakpoint>& breakpoint = breakpoints_.emplace_back();
    if (rule.has_when()) breakpoint = Breakpoint{.match = &rule.when()};
    if (rule.has_at_tick()) timeline_.emplace(Tick(rule.at_tick()), i);
  }
  if (plan.until().has_tick()) last_tick_ = Tick(plan.until().tick());
  if (plan.until().has_when()) until_ = Breakpoint{.match = &plan.until().when()};
}

template <class Matches>
void Script::observe(const Matches& matches) {
  for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
    std::optional<Breakpoint>& breakpoint = breakpoints_[i];
    if (!breakpoint || !matches(*breakpoint->match)) continue;
    ++breakpoint->seen;
    if (breakpoint->seen < breakpoint->match->nth()) continue;
    if (breakpoint->seen > breakpoint->match->nth() && !every_[i]) continue;
    fired_.insert(static_cast<int>(i));
  }
  if (until_ && matches(*until_->match) && ++until_->seen >= until_->match->nth()) {
    until_observed_ = true;
  }
}

void Script::observe_event(const std::string& process, const wire::Event& event) {
  observe([&](const wire::Match& match) { return matches_event(match, process, event); });
}

void Script::observe_packet(const wire::Frame& frame) {
  observe([&](const wire::Match& match) { return matches_packet(match, frame); });
}

std::optional<Tick> Script::next_due(Tick earliest) const {
  if (!fired_.empty()) return earliest;
  if (timeline_.empty()) return std::nullopt;
  return std::max(timeline_.begin()->first, earliest);
}

std::vector<int> Script::due(Tick label) const {
  std::set<int> due = fired_;
  for (const auto& [tick, rule] : timeline_) {
    if (tick > label) break;
    due.insert(rule);
  }
  return {due.begin(), due.end()};
}

std::vector<int> Script::take_due(Tick label) {
  std::vector<int> taken = due(label);
  fired_.clear();
  while (!timeline_.empty() && timeline_.begin()->first <= label) {
    timeline_.erase(timeline_.begin());
  }
  return taken;
}

}  // namespace fencepost::clock
