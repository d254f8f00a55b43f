// Words of a capture, which may hold anything, as Mermaid shows them: what the language or HTML
// would take for its own is written as an entity ("#59;" for a semicolon).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fencepost::lab {

// On one line, and of at most so many bytes before it is made harmless.
std::string mermaid_text(std::string_view text, std::size_t bytes_max);

}  // namespace fencepost::lab
