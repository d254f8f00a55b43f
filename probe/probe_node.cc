#include "probe/probe_node.h"

#include "common/client_node.h"
#include "probe/probe.h"

namespace fencepost {

std::unique_ptr<Node> make_probe(NodeContext context) {
  const ClientNode::MakeProgram probe = [](Client& client) -> std::unique_ptr<Program> {
    return std::make_unique<probe::Probe>(client);
  };
  return std::make_unique<ClientNode>(std::move(context), probe);
}

}  // namespace fencepost
