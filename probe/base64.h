// Base64 (RFC 4648), for fields of type bytes in a probe's script.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fencepost::probe {

std::string to_base64(std::string_view bytes);
// Nothing if it is none; the padding is required.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace fencepost::probe
