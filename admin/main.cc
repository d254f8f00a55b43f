// An administrator as a process: does one command, and ends.
#include "admin/admin_node.h"
#include "common/host/process_main.h"

int main(int argc, char** argv) {
  return fencepost::process_main(
      argc, argv,
      {.role = fencepost::Role::kAdmin,
       .factory = &fencepost::make_admin,
       .listens = false,
       .stores = false,
       .about =
           "An administrator: does one command of Kafka's Admin client (app.admin), and ends."});
}
