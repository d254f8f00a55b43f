// The clock's own words on its standard output: "listening on 127.0.0.1:40001". A pipe whose write
// end the clock gets when it is spawned.
#pragma once

#include <optional>
#include <string>

namespace fencepost::lab {

class Announcement {
 public:
  // Throws std::runtime_error if there is no pipe to be had.
  Announcement();
  ~Announcement();
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

  int write_end() const { return ends_[1]; }
  void close_write_end();
  // Blocks until the line has come. Nothing: the clock has ended without it.
  std::optional<std::string> read_address();

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace fencepost::lab
