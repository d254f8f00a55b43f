// A participant against a clock and peers that the test plays.
#include "common/host/process_host.h"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "common/host/address.h"
#include "common/outbox.h"

namespace fencepost {
namespace {

// Says what it sees, ends when it is closed, and fails when it is told to be slow.
class Witness : public Node {
 public:
  StepResult step(Tick, std::span<const Delivery> inbox) override {
    StepResult result;
    for (const Delivery& delivery : inbox) {
      if (const auto* control = std::get_if<wire::Control>(&delivery.what)) {
        if (control->kind() == wire::Control::SLOW) throw std::runtime_error("told to fail");
        result.exit_code = 7;
      } else if (const auto* frame =
                     std::get_if<std::shared_ptr<const wire::Frame>>(&delivery.what)) {
        wire::Event& event = *result.emissions.emplace_back().mutable_event();
        event.set_name((*frame)->header().source() + "." +
                       std::to_string((*frame)->header().sequence()));
      }
    }
    return result;
  }
};

std::unique_ptr<Node> make_witness(NodeContext) { return std::make_unique<Witness>(); }

std::string framed(const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(bytes.size() >> shift)));
  }
  return out + bytes;
}

class ProcessHostTest : public testing::Test {
 protected:
  ProcessHostTest() : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}), clock_(context_) {
    ProcessOptions options;
    options.name = "B1";
    options.clock_address = to_string(acceptor_.local_endpoint());
    options.listen_address = "127.0.0.1:0";
    options.properties = Properties(Role::kBroker);
    options.properties.set("num.partitions", "4", "test");
    host_ = std::thread([this, options] {
      ProcessLog log("B1", "off");
      exit_code_ = ProcessHost(options, make_witness, log).run();
    });
    clock_ = acceptor_.accept();
    hello_ = hear().hello();
  }
  ~ProcessHostTest() override {
    boost::system::error_code ignored;
    clock_.close(ignored);
    if (host_.joinable()) host_.join();
  }

  // -- as the clock --
  void say(const wire::ClockMessage& message) {
    asio::write(clock_, asio::buffer(framed(message)));
  }
  wire::ClockMessage hear() {
    wire::ClockMessage message;
    std::string bytes(4, '\0');
    asio::read(clock_, asio::buffer(bytes));
    std::size_t length = 0;
    for (const char byte : bytes) length = (length << 8U) | static_cast<unsigned char>(byte);
    bytes.resize(length);
    asio::read(clock_, asio::buffer(bytes));
    EXPECT_TRUE(message.ParseFromString(bytes));
    return message;
  }
  void welcome() {
    wire::ClockMessage message;
    message.mutable_welcome()->set_tick(0);
    message.mutable_welcome()->set_incarnation(1);
    message.mutable_welcome()->set_tick_ms(1000);
    say(message);
  }
  void grant(std::int64_t tick, const std::vector<wire::Frame>& frames) {
    wire::ClockMessage message;
    message.mutable_grant()->set_tick(tick);
    for (const wire::Frame& frame : frames) {
      wire::DeliveryRef& ref = *message.mutable_grant()->add_deliver();
      ref.set_arrival_tick(tick);
      *ref.mutable_frame() = id_of(key_of(frame));
    }
    say(message);
  }
  void supply(const std::vector<wire::Frame>& frames) {
    wire::ClockMessage message;
    for (const wire::Frame& frame : frames) *message.mutable_supply()->add_frames() = frame;
    say(message);
  }
  void control(std::int64_t tick, wire::Control::Kind kind) {
    wire::ClockMessage message;
    message.mutable_grant()->set_tick(tick);
    message.mutable_grant()->add_control()->set_kind(kind);
    say(message);
  }
  void expect_done(std::int64_t tick, const std::vector<std::string>& seen) {
    const wire::ClockMessage message = hear();
    ASSERT_TRUE(message.has_done()) << message.ShortDebugString();
    EXPECT_EQ(message.done().tick(), tick);
    std::vector<std::string> names;
    for (const wire::Emission& emission : message.done().emissions()) {
      names.push_back(emission.event().name());
    }
    EXPECT_EQ(names, seen);
  }
  void expect_need(std::size_t frames) {
    const wire::ClockMessage message = hear();
    ASSERT_TRUE(message.has_need()) << message.ShortDebugString();
    EXPECT_EQ(static_cast<std::size_t>(message.need().frames_size()), frames);
  }
  void expect_exit(int code) {
    host_.join();
    EXPECT_EQ(exit_code_, code);
  }

  // -- as a peer --
  tcp::socket call_as(const std::string& name) {
    tcp::socket peer(context_);
    peer.connect(resolve_address(context_, hello_.listen_address()));
    wire::PeerMessage message;
    message.mutable_hello()->set_name(name);
    message.mutable_hello()->set_incarnation(1);
    asio::write(peer, asio::buffer(framed(message)));
    return peer;
  }
  static void send(tcp::socket& peer, const wire::Frame& frame) {
    wire::PeerMessage message;
    *message.mutable_frame() = frame;
    asio::write(peer, asio::buffer(framed(message)));
  }
  static wire::Frame frame(const std::string& source, std::uint64_t sequence) {
    wire::Frame made;
    made.mutable_header()->set_source(source);
    made.mutable_header()->set_source_incarnation(1);
    made.mutable_header()->set_sequence(sequence);
    made.mutable_header()->set_destination("B1");
    return made;
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  tcp::socket clock_;
  std::thread host_;
  int exit_code_ = -1;
  wire::Hello hello_;
};

TEST_F(ProcessHostTest, HelloSaysWhoItIs) {
  EXPECT_EQ(hello_.name(), "B1");
  EXPECT_EQ(hello_.role(), "broker");
  EXPECT_EQ(hello_.pid(), getpid());
  ASSERT_EQ(hello_.properties_size(), 1);
  EXPECT_EQ(hello_.properties(0).name(), "num.partitions");
}

TEST_F(ProcessHostTest, StepsOncePerGrant) {
  welcome();
  grant(0, {});
  expect_done(0, {});
  grant(9, {});
  expect_done(9, {});
}

TEST_F(ProcessHostTest, AsksForFramesOfASenderWithoutAConnection) {
  welcome();
  grant(1, {frame("C1", 1), frame("C2", 5)});
  expect_need(2);
  supply({frame("C2", 5), frame("C1", 1)});
  expect_done(1, {"C1.1", "C2.5"});
}

TEST_F(ProcessHostTest, UsesWhatCameByThePeersSocketInTheOrderOfTheGrant) {
  welcome();
  tcp::socket peer = call_as("C1");
  for (const std::uint64_t sequence : {1U, 2U, 3U}) send(peer, frame("C1", sequence));
  grant(4, {frame("C1", 3), frame("C1", 1)});
  const wire::ClockMessage answer = hear();
  // The frames may still be on their way when the Grant comes; the outcome is the same.
  if (answer.has_need()) {
    supply({frame("C1", 3), frame("C1", 1)});
    expect_done(4, {"C1.3", "C1.1"});
  } else {
    ASSERT_EQ(answer.done().emissions_size(), 2);
    EXPECT_EQ(answer.done().emissions(0).event().name(), "C1.3");
  }
}

TEST_F(ProcessHostTest, AsksWhenAConnectionIsSilentOrLost) {
  welcome();
  tcp::socket peer = call_as("C1");
  send(peer, frame("C1", 1));
  grant(1, {frame("C1", 1), frame("C1", 2)});
  const wire::ClockMessage answer = hear();
  ASSERT_TRUE(answer.has_need());
  supply({frame("C1", 1), frame("C1", 2)});
  expect_done(1, {"C1.1", "C1.2"});
  grant(2, {frame("C1", 3)});
  peer.close();
  expect_need(1);
  supply({frame("C1", 3)});
  expect_done(2, {"C1.3"});
}

TEST_F(ProcessHostTest, StrangersAtItsPortChangeNothing) {
  welcome();
  tcp::socket stranger(context_);
  stranger.connect(resolve_address(context_, hello_.listen_address()));
  asio::write(stranger, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")));
  tcp::socket liar = call_as("C1");
  send(liar, frame("C2", 1));
  boost::system::error_code error;
  char byte = 0;
  stranger.read_some(asio::buffer(&byte, 1), error);
  EXPECT_TRUE(error);
  liar.read_some(asio::buffer(&byte, 1), error);
  EXPECT_TRUE(error);
  grant(3, {});
  expect_done(3, {});
}

TEST_F(ProcessHostTest, EndsWithTheCodeOfItsNode) {
  welcome();
  control(2, wire::Control::CLOSE);
  const wire::ClockMessage last = hear();
  EXPECT_EQ(last.done().exit_code(), 7);
  expect_exit(7);
}

TEST_F(ProcessHostTest, FailureOfItsNodeIsABug) {
  welcome();
  control(2, wire::Control::SLOW);
  expect_exit(kExitBug);
}

TEST_F(ProcessHostTest, EndOfTheRunIsZero) {
  welcome();
  wire::ClockMessage message;
  message.mutable_end()->set_reason("until tick 60");
  say(message);
  expect_exit(0);
}

TEST_F(ProcessHostTest, RefusalIsTwo) {
  wire::ClockMessage message;
  message.mutable_refused()->set_reason("there is a live process of this name");
  say(message);
  expect_exit(kExitRefused);
}

TEST_F(ProcessHostTest, LossOfTheClockIsOne) {
  welcome();
  clock_.close();
  expect_exit(kExitLostClock);
}

TEST_F(ProcessHostTest, GarbageOfTheClockIsOne) {
  asio::write(clock_, asio::buffer(std::string("\0\0\0\1\xff", 5)));
  expect_exit(kExitLostClock);
}

}  // namespace
}  // namespace fencepost
