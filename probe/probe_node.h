// The node of a probe process: a scripted client.
#pragma once

#include <memory>

#include "common/node.h"

namespace fencepost {

// Throws ConfigError.
std::unique_ptr<Node> make_probe(NodeContext context);

}  // namespace fencepost
