// What a peer that does not read costs.
#include "common/host/peers.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/host/address.h"

namespace fencepost {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// A stopped broker: the kernel takes its calls, and nobody reads them.
TEST(Peers, QueueALimitedNumberOfBytesForWhoDoesNotRead) {
  asio::io_context context;
  tcp::acceptor silent(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  ProcessLog log("C1", "off");
  Peers peers(
      context, log, "C1", [](const auto&) {}, [] {});
  peers.begin(Incarnation(1), "secret");
  wire::PeerAddress address;
  address.set_name("B1");
  address.set_incarnation(1);
  address.set_address(to_string(silent.local_endpoint()));
  peers.learn(address);

  const std::size_t before = allocated();
  wire::Frame frame;
  frame.mutable_header()->set_source("C1");
  frame.mutable_header()->set_destination("B1");
  frame.mutable_produce_request()->set_transactional_id(std::string(kMiB, 'x'));
  for (int i = 0; i < 500; ++i) {
    peers.send(frame);
    peers.flush();
    context.poll();
  }
  EXPECT_LT(allocated() - before, 4 * Peers::kMaxQueuedBytes);
}

}  // namespace
}  // namespace fencepost
