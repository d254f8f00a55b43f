// A probe as a process: a scripted client.
#include "common/host/process_main.h"
#include "probe/probe_node.h"

int main(int argc, char** argv) {
  return fencepost::process_main(
      argc, argv,
      {.role = fencepost::Role::kProbe,
       .factory = &fencepost::make_probe,
       .listens = false,
       .stores = false,
       .about = "A probe: sends the requests of its script, checks the answers, and ends."});
}
