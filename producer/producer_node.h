// The node of a producer process: a source of named records.
#pragma once

#include <memory>

#include "common/node.h"

namespace fencepost {

// Throws ConfigError.
std::unique_ptr<Node> make_producer(NodeContext context);

}  // namespace fencepost
