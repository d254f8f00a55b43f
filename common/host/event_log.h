// What a node reports, as lines of its process's log: the story of `docker compose logs -f`.
#pragma once

#include <string>

#include "common/host/process_log.h"
#include "proto/capture.pb.h"

namespace fencepost {

// One line: the event's name, then its attributes (group=billing reason="member C1 joined"), or for
// what a group coordinator does the words of Kafka's GroupCoordinator, which people grep for.
std::string event_line(const wire::Event& event);

// At level info: what happens to groups, members and connections. At debug: what happens with each
// record, batch or commit, so that the log of a long run stays small. At warn: errors of a client.
void log_event(ProcessLog& log, const wire::Event& event);

}  // namespace fencepost
