// Faults put into the processes of the runs that this process starts, by failpoints_preload.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::test {

// Loads the faults into all children from now on, while the object lives. The settings are what
// failpoints_preload.cc documents, without FENCEPOST_ in front: {"SOCKET_BUFFERS", "1"}.
class Faults {
 public:
  Faults(std::initializer_list<std::pair<std::string, std::string>> settings);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

 private:
  std::vector<std::string> names_;
};

}  // namespace fencepost::test
