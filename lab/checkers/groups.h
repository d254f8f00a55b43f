// Checks that a group shared out its partitions as the classic protocol promises.
//
// Anomalies:
// - Two owners in one generation. C1 and C2 are both told to own o2 in generation 3, so both read
// it.
// - Handed over too early. C1 still owns o2, has not given it up and has not been removed from the
//   group, and C2 is told to own it: between the two, both read it, although nothing went wrong.
//   (An owner that was removed, or fenced by another one with its group.instance.id, and does not
//   know it is no anomaly: a zombie is Kafka's way of life. Nor is a static member that did not
//   rejoin within the rebalance timeout: it stays a member, and a sticky leader knows its claims
//   only as they were when it joined last.)
// - Generation running backwards, or used twice, for one group. (Unless it never became Stable and
//   the coordinator has crashed since: then nobody remembers it.)
#pragma once

#include "lab/checkers/verdict.h"
#include "lab/history.h"

namespace fencepost::lab {

Verdict check_groups(const History& history);

}  // namespace fencepost::lab
