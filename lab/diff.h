// The first record in which two captures differ, with its neighbours, in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fencepost::lab {

// Nothing if the captures are the same. Headers that differ (another scenario, another seed) are
// named first, and the comparison goes on behind them. Throws std::runtime_error as CaptureReader
// does.
std::optional<std::string> first_difference(const std::string& left, const std::string& right);

// How far a capture that was cut short agrees with a longer one.
struct PrefixComparison {
  std::uint64_t records = 0;              // that are the same
  std::optional<std::string> difference;  // within the shorter one, in words
};

// A last record that is incomplete counts as absent. Throws as first_difference does otherwise.
PrefixComparison compare_prefix(const std::string& cut, const std::string& whole);

// The SHA-256 of a file, in hex. Throws std::runtime_error naming the file.
std::string sha256_of_file(const std::string& path);

}  // namespace fencepost::lab
