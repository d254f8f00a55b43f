#include "producer/producer_node.h"

#include "common/client_node.h"
#include "producer/source.h"

namespace fencepost {

std::unique_ptr<Node> make_producer(NodeContext context) {
  const ClientNode::MakeProgram source = [](Client& client) -> std::unique_ptr<Program> {
    return std::make_unique<producer::Source>(client);
  };
  return std::make_unique<ClientNode>(std::move(context), source);
}

}  // namespace fencepost
