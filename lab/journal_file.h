// Reads journal.yaml (clock/core/journal.h writes it), for a replay. It may have been edited by
// hand, so every mistake is named with its place.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "proto/plan.pb.h"

namespace fencepost::lab {

struct JournalFile {
  std::string scenario;  // file name, in the same directory
  std::uint64_t seed = 1;
  std::string run_id;
  std::vector<wire::Decision> decisions;  // ticks never go back
  bool ended = false;                     // has an END: it replays whole, not as a prefix
};

// "FILE:LINE:COL: what is wrong".
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws JournalError.
JournalFile load_journal(const std::string& path);
JournalFile parse_journal(const std::string& text, const std::string& path);

}  // namespace fencepost::lab
