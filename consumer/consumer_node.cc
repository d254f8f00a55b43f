#include "consumer/consumer_node.h"

#include "common/client_node.h"
#include "consumer/billing.h"
#include "consumer/reader.h"

namespace fencepost {
namespace {

// The application that is asked for; otherwise who is given partitions reads, and who has a group
// bills.
bool is_reader(const Properties& properties) {
  const std::string application = properties.get("app.application");
  if (!application.empty()) return application == "reader";
  return !properties.get("app.assign").empty();
}

std::unique_ptr<Program> make_application(Client& client) {
  const Properties& properties = client.properties();
  const bool subscribes =
      !properties.get("app.subscribe").empty() || !properties.get("app.subscribe.pattern").empty();
  if (!subscribes && properties.get("app.assign").empty()) {
    throw ConfigError("a consumer needs app.subscribe, app.subscribe.pattern or app.assign");
  }
  if (subscribes && properties.get("group.id").empty()) {
    throw ConfigError("group.id is needed for app.subscribe");
  }
  if (is_reader(properties)) return std::make_unique<consumer::Reader>(client);
  return std::make_unique<consumer::Billing>(client);
}

}  // namespace

std::unique_ptr<Node> make_consumer(NodeContext context) {
  return std::make_unique<ClientNode>(std::move(context), &make_application);
}

}  // namespace fencepost
