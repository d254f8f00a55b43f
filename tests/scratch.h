// A directory of its own for one test process: ctest runs many at a time, and another clone may run
// its tests as well. Gone when the object is.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <filesystem>

namespace fencepost::test {

class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("fencepost-{}", getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fencepost::test
