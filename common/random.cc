#include "common/random.h"

#include <spdlog/fmt/fmt.h>

#include "common/check.h"

namespace fencepost {
namespace {

// SplitMix64's finalizer: every bit of the input reaches every bit of the output.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t absorb(std::uint64_t state, std::string_view text) {
  for (const char c : text) state = mix(state ^ static_cast<unsigned char>(c));
  return mix(state ^ (0x100 + text.size()));
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view name, Incarnation incarnation,
               std::string_view purpose)
    : key_(absorb(absorb(mix(seed), name) ^ incarnation.value(), purpose)) {}

std::uint64_t Random::next() { return mix(key_ + 0x632be59bd9b4e019ULL * counter_++); }

std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound > 0);
  // Rejection keeps it uniform: the last incomplete block of the range is drawn again.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t drawn = next();
  while (drawn >= limit) drawn = next();
  return drawn % bound;
}

std::string Random::uuid() {
  const std::uint64_t high = next();
  const std::uint64_t low = next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffffULL);
}

}  // namespace fencepost
