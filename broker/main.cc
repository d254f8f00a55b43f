// A broker as a process.
#include "broker/core/broker_node.h"
#include "common/host/process_main.h"

int main(int argc, char** argv) {
  return fencepost::process_main(
      argc, argv,
      {.role = fencepost::Role::kBroker,
       .factory = &fencepost::broker::make_broker,
       .listens = true,
       .stores = true,
       .about = "A broker: partition logs, group coordinator and offsets."});
}
