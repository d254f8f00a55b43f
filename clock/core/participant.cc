#include "clock/core/participant.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace fencepost::clock {
namespace {

auto order_of(const InFlight& item) {
  if (item.frame) {
    const wire::Header& header = item.frame->header();
    return std::tuple(item.arrival, std::string_view(header.source()), header.source_incarnation(),
                      false, header.sequence());
  }
  return std::tuple(item.arrival, std::string_view(item.disconnected->peer()),
                    item.disconnected->peer_incarnation(), true, std::uint64_t{0});
}

}  // namespace

bool arrives_before(const InFlight& left, const InFlight& right) {
  return order_of(left) < order_of(right);
}

std::optional<Tick> Participant::next_due(Tick earliest) const {
  if (frozen) return std::nullopt;
  if (start_due || owed || !controls.empty()) return earliest;
  std::optional<Tick> due = wake;
  for (const InFlight& item : inbox) {
    if (!due || item.arrival < *due) due = item.arrival;
  }
  // Overdue timers and frames that waited for a thaw are due at once.
  if (due && *due < earliest) due = earliest;
  return due;
}

}  // namespace fencepost::clock
