// A producer as a process: a source of records.
#include "common/host/process_main.h"
#include "producer/producer_node.h"

int main(int argc, char** argv) {
  return fencepost::process_main(
      argc, argv,
      {.role = fencepost::Role::kProducer,
       .factory = &fencepost::make_producer,
       .listens = false,
       .stores = false,
       .about = "A producer: a source that writes records to its topics."});
}
