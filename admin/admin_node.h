// The node of an admin process: Kafka's Admin client with one command to do.
#pragma once

#include <memory>

#include "common/node.h"

namespace fencepost {

// Throws ConfigError.
std::unique_ptr<Node> make_admin(NodeContext context);

}  // namespace fencepost
