// "host:port" as people write it, and as an endpoint.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>

namespace fencepost {

// Resolves "host:port". Throws std::runtime_error, in one line that names the address, if it is not
// of this form or the host is unknown.
boost::asio::ip::tcp::endpoint resolve_address(boost::asio::io_context& context,
                                               std::string_view address);

// "127.0.0.1:40001".
std::string to_string(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace fencepost
