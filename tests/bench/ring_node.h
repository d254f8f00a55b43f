// The load of the barrier benchmark: participants in a ring, each of which is active in every tick,
// asks its successor and answers its predecessor. Names: "n000" to "nNNN" are active, "i000"... are
// idle.
#pragma once

#include <memory>
#include <string>

#include "common/node.h"
#include "common/outbox.h"

namespace fencepost::bench {

std::string active_name(int index);
std::string idle_name(int index);

// `ring` is how many are active. Alone in its ring, a node wakes and sends nothing.
std::unique_ptr<Node> make_ring_node(NodeContext context, int ring);

}  // namespace fencepost::bench
