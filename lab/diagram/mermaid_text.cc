#include "lab/diagram/mermaid_text.h"

#include <spdlog/fmt/fmt.h>

#include <array>

#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

// Plain in every place of the language. All else of ASCII has a meaning somewhere: comments (%%),
// directives ({}), entities (#;), arrows (->), formulas ($$), Markdown, HTML.
constexpr std::string_view kPlain = " .,=_@+-()[]/|!?*'";

// What Mermaid itself writes for "#" and ";" of entities while it parses.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPlaceholders = {
    {{"\uFB02", "#64258;"}, {"\u00B0", "#176;"}, {"\u00B6", "#182;"}, {"\u00DF", "#223;"}}};

bool is_letter(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
}

char lower(char one) { return one >= 'A' && one <= 'Z' ? static_cast<char>(one + 32) : one; }

// The word that ends blocks, wherever it stands.
bool is_end(std::string_view text, std::size_t at) {
  if (at + 3 > text.size() || (at > 0 && is_letter(text[at - 1]))) return false;
  const bool word =
      lower(text[at]) == 'e' && lower(text[at + 1]) == 'n' && lower(text[at + 2]) == 'd';
  return word && (at + 3 == text.size() || !is_letter(text[at + 3]));
}

std::string entity(char one) { return fmt::format("#{};", static_cast<int>(one)); }

}  // namespace

std::string mermaid_text(std::string_view text, std::size_t bytes_max) {
  const std::string shown = cut_to(printable(text), bytes_max);
  std::string out;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const char one = shown[at];
    const bool ascii = static_cast<unsigned char>(one) < 0x80;
    if (!ascii) {
      std::string_view written;
      for (const auto& [character, harmless] : kPlaceholders) {
        if (!std::string_view(shown).substr(at).starts_with(character)) continue;
        written = harmless;
        at += character.size() - 1;
        break;
      }
      written.empty() ? out.push_back(one) : static_cast<void>(out.append(written));
    } else if (is_end(shown, at)) {
      out += entity(one);
    } else if (is_letter(one) || kPlain.find(one) != std::string_view::npos) {
      out += one;
    } else {
      const bool colon_in_prose = one == ':' && at + 1 < shown.size() && shown[at + 1] == ' ';
      out += colon_in_prose ? ":" : entity(one);
    }
  }
  return out;
}

}  // namespace fencepost::lab
