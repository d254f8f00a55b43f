// A consumer as a process.
#include "common/host/process_main.h"
#include "consumer/consumer_node.h"

int main(int argc, char** argv) {
  return fencepost::process_main(
      argc, argv,
      {.role = fencepost::Role::kConsumer,
       .factory = &fencepost::make_consumer,
       .listens = false,
       .stores = false,
       .about = "A consumer: a group member that writes invoices, or a reader without a group."});
}
