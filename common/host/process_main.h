// The main function that brokers, consumers and producers share: options, configuration, logging,
// and then the process host.
#pragma once

#include <string_view>

#include "common/node.h"

namespace fencepost {

struct RoleOfProcess {
  Role role;
  NodeFactory factory;
  bool listens;            // others call it
  bool stores;             // keeps a database
  std::string_view about;  // one sentence for --help
};

// Exit codes: the node's own; 0 when the run ends; 1 the clock cannot be reached or was lost;
// 2 unusable options or configuration, or refused by the clock; 70 a bug.
int process_main(int argc, char** argv, const RoleOfProcess& role);

}  // namespace fencepost
