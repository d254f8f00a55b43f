// The broker as a node: gives a BrokerCore its ticks and turns its effects into emissions and rows.
#pragma once

#include <memory>

#include "common/node.h"

namespace fencepost::broker {

// Throws ConfigError if the properties do not make sense together.
std::unique_ptr<Node> make_broker(NodeContext context);

}  // namespace fencepost::broker
