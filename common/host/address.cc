#include "common/host/address.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <stdexcept>

namespace fencepost {
namespace {

using boost::asio::ip::tcp;

constexpr int kMaxPort = 65535;

[[noreturn]] void reject(std::string_view address, std::string_view why) {
  throw std::runtime_error(fmt::format("bad address \"{}\": {}", address, why));
}

}  // namespace

tcp::endpoint resolve_address(boost::asio::io_context& context, std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) reject(address, "expected host:port");
  const std::string_view port_text = address.substr(colon + 1);
  int port = 0;
  const char* const end = port_text.data() + port_text.size();
  const auto [stopped, failure] = std::from_chars(port_text.data(), end, port);
  if (failure != std::errc() || stopped != end || port < 0 || port > kMaxPort) {
    reject(address, "the port is a number from 0 to 65535");
  }
  std::string host(address.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  boost::system::error_code error;
  const auto literal = boost::asio::ip::make_address(host, error);
  if (!error) return {literal, static_cast<unsigned short>(port)};

  tcp::resolver resolver(context);
  const auto results = resolver.resolve(host, std::string(port_text), error);
  if (error || results.empty()) reject(address, fmt::format("unknown host ({})", error.message()));
  return results.begin()->endpoint();
}

std::string to_string(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                    : fmt::format("{}:{}", host, endpoint.port());
}

}  // namespace fencepost
