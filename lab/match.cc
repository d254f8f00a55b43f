#include "lab/match.h"

#include <algorithm>

#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/partition_names.h"

namespace fencepost::lab {
namespace {

bool value_matches(std::string_view wanted, std::string_view value) {
  if (wanted == value) return true;
  const std::vector<std::string_view> items = split(value, ',');
  return std::find(items.begin(), items.end(), wanted) != items.end();
}

}  // namespace

bool matches(const wire::Match& match, const std::string& process, const wire::Event& event) {
  if (match.has_api() || !match.has_event() || match.event() != event.name()) return false;
  if (match.has_process() && match.process() != process) return false;
  return std::all_of(match.where().begin(), match.where().end(), [&](const auto& attribute) {
    return value_matches(attribute.value(), events::value_of(event, attribute.key()));
  });
}

bool matches(const wire::Match& match, const wire::Frame& frame) {
  if (!match.has_api() || match.api() != api_of(frame)) return false;
  if (match.has_process() && match.process() != frame.header().source()) return false;
  if (match.has_to() && match.to() != frame.header().destination()) return false;
  if (match.has_response() && match.response() != is_response(frame)) return false;
  return !match.has_error() || match.error() == !errors_in(frame).empty();
}

std::string describe(const wire::Match& match) {
  std::string out;
  const auto add = [&out](const std::string& word) { out += (out.empty() ? "" : " ") + word; };
  if (match.has_api()) {
    add(match.api());
    if (match.has_response()) add(match.response() ? "response" : "request");
    if (match.has_process()) add("from " + match.process());
    if (match.has_to()) add("to " + match.to());
    if (match.error()) add("with an error");
  } else {
    if (match.has_process()) add(match.process());
    add(match.event());
    for (const auto& attribute : match.where()) add(attribute.key() + "=" + attribute.value());
  }
  if (match.nth() > 1) add("(number " + std::to_string(match.nth()) + ")");
  return out;
}

}  // namespace fencepost::lab
