#include "common/row_digest.h"

#include <string_view>

namespace fencepost {
namespace {

constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325U;
constexpr std::uint64_t kPrime = 0x100000001b3U;

std::uint64_t mix_bytes(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash;
}

// As eight little-endian bytes, so that the digest is the same on every machine.
std::uint64_t mix_number(std::uint64_t hash, std::uint64_t number) {
  for (int byte = 0; byte < 8; ++byte) {
    hash = (hash ^ (number & 0xffU)) * kPrime;
    number >>= 8U;
  }
  return hash;
}

}  // namespace

std::uint64_t rows_digest(std::span<const wire::StoredRow> rows) {
  std::uint64_t hash = kOffsetBasis;
  for (const wire::StoredRow& row : rows) {
    // The lengths keep ("ab", "c") and ("a", "bc") apart.
    hash = mix_number(hash, row.topic().size());
    hash = mix_bytes(hash, row.topic());
    hash = mix_number(hash, static_cast<std::uint64_t>(row.partition()));
    hash = mix_number(hash, static_cast<std::uint64_t>(row.base_offset()));
    hash = mix_number(hash, row.batch().size());
    hash = mix_bytes(hash, row.batch());
  }
  return hash;
}

}  // namespace fencepost
