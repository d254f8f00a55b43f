#include "admin/admin_node.h"

#include "admin/admin.h"
#include "common/client_node.h"

namespace fencepost {

std::unique_ptr<Node> make_admin(NodeContext context) {
  const ClientNode::MakeProgram admin = [](Client& client) -> std::unique_ptr<Program> {
    return std::make_unique<admin::Admin>(client);
  };
  return std::make_unique<ClientNode>(std::move(context), admin);
}

}  // namespace fencepost
