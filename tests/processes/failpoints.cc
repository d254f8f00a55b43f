#include "tests/processes/failpoints.h"

#include <cstdlib>

namespace fencepost::test {

Faults::Faults(std::initializer_list<std::pair<std::string, std::string>> settings) {
  for (const auto& [name, value] : settings) {
    setenv(names_.emplace_back("FENCEPOST_" + name).c_str(), value.c_str(), 1);
  }
  setenv(names_.emplace_back("LD_PRELOAD").c_str(), FENCEPOST_FAILPOINTS, 1);
}

Faults::~Faults() {
  for (const std::string& name : names_) unsetenv(name.c_str());
}

}  // namespace fencepost::test
