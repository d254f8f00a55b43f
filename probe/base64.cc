#include "probe/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>

namespace fencepost::probe {
namespace {

constexpr std::size_t kBytes = 3;  // that four digits stand for
constexpr std::size_t kDigits = 4;

// OpenSSL takes "=" for a digit of zero wherever it stands, and passes over blanks.
std::optional<std::size_t> padding_of(std::string_view text) {
  const std::size_t first = std::min(text.find('='), text.size());
  const std::size_t padding = text.size() - first;
  const auto is_blank = [](unsigned char c) { return std::isspace(c) != 0; };
  const bool regular = text.size() % kDigits == 0 && padding < kBytes &&
                       text.find_first_not_of('=', first) == std::string_view::npos &&
                       std::none_of(text.begin(), text.end(), is_blank);
  return regular ? std::optional(padding) : std::nullopt;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + kBytes - 1) / kBytes * kDigits + 1, '\0');  // with its end
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  const std::optional<std::size_t> padding = padding_of(text);
  if (!padding) return std::nullopt;
  std::string bytes(text.size() / kDigits * kBytes, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  bytes.resize(bytes.size() - *padding);
  return bytes;
}

}  // namespace fencepost::probe
