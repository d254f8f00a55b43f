// The first record in which two captures differ, with its neighbours, in words.
#pragma once

#include <optional>
#include <string>

namespace fencepost::lab {

// Nothing if the captures are the same. Throws std::runtime_error as CaptureReader does.
std::optional<std::string> first_difference(const std::string& left, const std::string& right);

// The SHA-256 of a file, in hex. Throws std::runtime_error naming the file.
std::string sha256_of_file(const std::string& path);

}  // namespace fencepost::lab
