#include "common/host/frame_stream.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <vector>

#include "proto/clock.pb.h"

namespace fencepost {
namespace {

// A stream under test at one end of a loopback connection, a plain socket at the other.
class FrameStreamTest : public testing::Test {
 protected:
  FrameStreamTest() : plain_(context_) {
    tcp::acceptor acceptor(context_, {asio::ip::address_v4::loopback(), 0});
    plain_.connect(acceptor.local_endpoint());
    stream_ = std::make_shared<FrameStream>(acceptor.accept());
    stream_->start([this](std::string_view bytes) { received_.emplace_back(bytes); },
                   [this](const std::string& reason) { closed_ = reason; });
  }

  static std::string framed(const std::string& bytes) {
    std::string out;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      out.push_back(static_cast<char>(static_cast<unsigned char>(bytes.size() >> shift)));
    }
    return out + bytes;
  }
  void say(const std::string& bytes) { asio::write(plain_, asio::buffer(bytes)); }
  void hang_up() { plain_.close(); }
  // Handles everything until `count` frames have come or the stream has closed.
  void run_until(std::size_t count) {
    while (received_.size() < count && !closed_) context_.run_one();
  }
  void run_until_closed() {
    while (!closed_) context_.run_one();
  }
  static wire::Refused message(std::size_t bytes) {
    wire::Refused made;
    made.set_reason(std::string(bytes, 'x'));
    return made;
  }

  asio::io_context context_;
  tcp::socket plain_;
  std::shared_ptr<FrameStream> stream_;
  std::vector<std::string> received_;
  std::optional<std::string> closed_;
};

TEST_F(FrameStreamTest, TakesFramesThatComeTogetherAndInPieces) {
  say(framed("one") + framed("") + framed("three"));
  run_until(3);
  const std::string four = framed("four");
  for (const char byte : four) {
    say(std::string(1, byte));
    context_.poll();
  }
  run_until(4);
  EXPECT_EQ(received_, (std::vector<std::string>{"one", "", "three", "four"}));
}

TEST_F(FrameStreamTest, TakesAFrameLargerThanItsBuffer) {
  const std::string large(3'000'000, 'y');
  const std::string bytes = framed(large) + framed("small");
  std::size_t sent = 0;
  plain_.non_blocking(true);
  while (received_.size() < 2 && !closed_) {
    boost::system::error_code error;
    sent += plain_.write_some(asio::buffer(bytes.data() + sent, bytes.size() - sent), error);
    context_.poll();
  }
  ASSERT_EQ(received_.size(), 2U);
  EXPECT_EQ(received_[0], large);
  EXPECT_EQ(received_[1], "small");
}

TEST_F(FrameStreamTest, HandsOverAllThatCameBeforeTheEnd) {
  say(framed("last words"));
  hang_up();
  run_until_closed();
  EXPECT_EQ(received_, std::vector<std::string>{"last words"});
  EXPECT_EQ(closed_, "closed by the other end");
}

TEST_F(FrameStreamTest, ReadsLastWordsEvenWhenWritingHasFailed) {
  say(framed("last words"));
  // Unread bytes at the other end make its close a reset, so writes fail before the reader looks.
  ASSERT_TRUE(stream_->send(message(100)));
  stream_->flush();
  hang_up();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream_->send(message(100)));
    stream_->flush();
  }
  run_until_closed();
  EXPECT_EQ(received_, std::vector<std::string>{"last words"});
}

TEST_F(FrameStreamTest, EndInTheMiddleOfAFrameIsSaid) {
  say(framed("cut short").substr(0, 7));
  hang_up();
  run_until_closed();
  EXPECT_EQ(closed_, "closed in the middle of a message");
}

TEST_F(FrameStreamTest, FrameOverTheLimitEndsTheConnection) {
  say(std::string("\x01\x00\x00\x01", 4));
  run_until_closed();
  EXPECT_NE(closed_->find("over the limit"), std::string::npos);
}

TEST_F(FrameStreamTest, QueuesForAReaderThatDoesNotReadAndNeverBlocks) {
  constexpr int kMessages = 64;
  constexpr std::size_t kBytes = 1'000'000;
  for (int i = 0; i < kMessages; ++i) {
    ASSERT_TRUE(stream_->send(message(kBytes)));
    stream_->flush();
  }
  EXPECT_GT(stream_->queued_bytes(), kBytes);
  bool flushed = false;
  stream_->when_flushed([&flushed] { flushed = true; });
  std::size_t read = 0;
  std::string buffer(kBytes, '\0');
  plain_.non_blocking(true);
  while (!flushed) {
    context_.poll();
    boost::system::error_code error;
    read += plain_.read_some(asio::buffer(buffer), error);
  }
  EXPECT_EQ(stream_->queued_bytes(), 0U);
  EXPECT_GT(read, 0U);
}

TEST_F(FrameStreamTest, MessageOverTheLimitIsNotQueued) {
  EXPECT_FALSE(stream_->send(message(kMaxFrameBytes)));
  EXPECT_EQ(stream_->queued_bytes(), 0U);
  stream_->set_limit(kMaxStepBytes);
  EXPECT_TRUE(stream_->send(message(kMaxFrameBytes)));
}

TEST_F(FrameStreamTest, CloseIsSilent) {
  stream_->close();
  say(framed("too late"));
  context_.poll();
  EXPECT_TRUE(received_.empty());
  EXPECT_FALSE(closed_.has_value());
}

}  // namespace
}  // namespace fencepost
