// Counter-based randomness, keyed by (run seed, name, incarnation, purpose): each purpose has its
// own sequence, so a new use never shifts another (DESIGN 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/ids.h"

namespace fencepost {

class Random {
 public:
  Random(std::uint64_t seed, std::string_view name, Incarnation incarnation,
         std::string_view purpose);

  std::uint64_t next();
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // 32 hex digits in UUID form, e.g. for a member id.
  std::string uuid();

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace fencepost
