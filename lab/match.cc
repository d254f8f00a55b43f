#include "lab/match.h"

#include "clock/core/script.h"

namespace fencepost::lab {
bool matches(const wire::Match& match, const std::string& process, const wire::Event& event) {
  return match.has_event() && clock::matches_event(match, process, event);
}

bool matches(const wire::Match& match, const wire::Frame& frame) {
  return clock::matches_packet(match, frame);
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
