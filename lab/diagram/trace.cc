#include "lab/diagram/trace.h"

#include "common/capture_file.h"
#include "lab/diagram/cast.h"
#include "lab/diagram/group_tracks.h"
#include "lab/diagram/process_tracks.h"
#include "lab/diagram/trace_lines.h"
#include "lab/history.h"

namespace fencepost::lab {
namespace {

// Of the trace; processes follow, then groups.
constexpr int kScenario = 1;
constexpr TrackId kRules{kScenario, 1};
constexpr std::int64_t kUsPerMs = 1000;

}  // namespace

std::string trace_of(const RunIndex& index, const std::string& capture) {
  const History history = read_history(capture);
  const wire::CaptureHeader& header = index.header();
  const std::vector<Actor> cast = cast_of(index);
  TraceLines out;
  out.name_process(kScenario, "scenario " + header.scenario());
  out.name_track(kRules, "rules");
  ProcessTracks processes(out, header, cast, kScenario + 1, history.group_of);
  GroupTracks groups(out, history, kScenario + 1 + static_cast<int>(cast.size()));
  CaptureReader reader(capture);
  while (const auto record = reader.next()) {
    processes.add(reader.tick(), *record);
    groups.add(reader.tick(), *record);
    if (record->has_fired()) {
      out.moment(kRules, reader.tick() * header.tick_ms() * kUsPerMs, record->fired().text());
    }
  }
  processes.finish(history.last_tick.value());
  groups.finish();
  return out.written(
      {{"scenario", header.scenario()}, {"seed", header.seed()}, {"tick_ms", header.tick_ms()}});
}

}  // namespace fencepost::lab
