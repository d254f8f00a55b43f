// The node of a consumer process: a Kafka consumer with a small application (app.application).
#pragma once

#include <memory>

#include "common/node.h"

namespace fencepost {

// Throws ConfigError.
std::unique_ptr<Node> make_consumer(NodeContext context);

}  // namespace fencepost
