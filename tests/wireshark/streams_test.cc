// The invented connections: what a kernel would have sent, and numbers that fit together.
#include "lab/pcapng/streams.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <string>
#include <vector>

namespace fencepost::lab {
namespace {

const Life kClient{"C1", 1};
const Life kServer{"B1", 1};

class Streams : public testing::Test {
 protected:
  Streams()
      : streams_([this](Tick, const Segment& segment, std::string_view) { note(segment); },
                 [](const std::string& name) { return name == "B1" ? Ipv4{1} : Ipv4{2}; }) {}

  void open(std::int64_t tick) {
    streams_.open(Tick(tick), kClient, kServer, "hello");
    said_.clear();
  }
  bool request(std::int64_t tick, std::string_view bytes, std::uint64_t sequence = 1) {
    return streams_.send(Tick(tick), {.from = kClient,
                                      .to = kServer,
                                      .from_client = true,
                                      .sequence = sequence,
                                      .arrival = Tick(tick + 1),
                                      .bytes = bytes});
  }
  bool answer(std::int64_t tick, std::string_view bytes, std::uint64_t sequence = 1) {
    return streams_.send(Tick(tick), {.from = kServer,
                                      .to = kClient,
                                      .sequence = sequence,
                                      .arrival = Tick(tick + 1),
                                      .bytes = bytes});
  }
  // What was said since the last question: sender, flags, sequence and acknowledgment from the
  // beginning of the connection, bytes.
  std::vector<std::string> said() { return std::exchange(said_, {}); }

  TcpStreams streams_;

 private:
  void note(const Segment& segment) {
    std::string flags;
    for (const auto& [flag, letter] :
         {std::pair(kSyn, 'S'), {kFin, 'F'}, {kRst, 'R'}, {kPsh, 'P'}, {kAck, 'A'}}) {
      if ((segment.flags & flag) != 0) flags += letter;
    }
    constexpr std::uint32_t kMillion = 1'000'000;
    said_.push_back(fmt::format("{} {} {}:{} {}", segment.from.address == 1 ? "B1" : "C1", flags,
                                segment.sequence % kMillion, segment.acknowledgment % kMillion,
                                segment.payload.size()));
  }

  std::vector<std::string> said_;
};

using Lines = std::vector<std::string>;

TEST_F(Streams, BeginWithAHandshakeAndAnIntroduction) {
  streams_.open(Tick(0), kClient, kServer, "hello");
  EXPECT_EQ(said(), (Lines{"C1 S 0:0 0", "B1 SA 0:1 0", "C1 A 1:1 0", "C1 PA 1:1 5"}));
  EXPECT_TRUE(streams_.is_open(kClient, kServer));
}

TEST_F(Streams, AcknowledgeWhatHasArrivedAndNoMore) {
  open(0);
  EXPECT_TRUE(request(0, "0123456789"));
  EXPECT_TRUE(answer(0, "abc"));   // the request is on its way
  EXPECT_TRUE(answer(1, "abcd"));  // and has arrived
  EXPECT_EQ(said(), (Lines{"C1 PA 6:1 10", "B1 PA 1:1 3", "B1 PA 4:16 4"}));
}

TEST_F(Streams, AcknowledgeADelayedMessageAndWhatIsBehindItLate) {
  open(0);
  streams_.send(Tick(0), {.from = kClient,
                          .to = kServer,
                          .from_client = true,
                          .sequence = 1,
                          .arrival = Tick(9),
                          .bytes = "slow"});
  request(1, "quick", 2);
  answer(8, "x");
  answer(9, "y", 2);
  EXPECT_EQ(said(), (Lines{"C1 PA 6:1 4", "C1 PA 10:1 5", "B1 PA 1:6 1", "B1 PA 2:15 1"}));
}

TEST_F(Streams, CutWhatIsTooLongForASegment) {
  open(0);
  EXPECT_TRUE(request(0, std::string(kSegmentBytesMax + 1, 'x')));
  EXPECT_EQ(said(), (Lines{"C1 A 6:1 65495", "C1 PA 65501:1 1"}));
}

TEST_F(Streams, EndWithFinOfWhoHasReadEverything) {
  open(0);
  answer(1, "x");
  streams_.received(kClient, kServer, 1);
  said();
  streams_.died(Tick(2), kClient);
  EXPECT_EQ(said(), (Lines{"C1 FA 6:2 0", "B1 A 2:7 0"}));
  EXPECT_FALSE(streams_.is_open(kClient, kServer));
  streams_.parted(Tick(3), kServer, kClient);
  EXPECT_EQ(said(), (Lines{"B1 FA 2:7 0", "C1 A 7:3 0"}));
}

TEST_F(Streams, EndWithRstOfWhoLeavesSomethingUnread) {
  open(0);
  answer(1, "x");
  said();
  streams_.died(Tick(2), kClient);
  EXPECT_EQ(said(), (Lines{"C1 RA 6:2 0"}));
  streams_.parted(Tick(3), kServer, kClient);
  EXPECT_EQ(said(), Lines{});
}

TEST_F(Streams, AnswerWithRstToWhatComesBehindTheEnd) {
  open(0);
  streams_.died(Tick(2), kClient);
  said();
  EXPECT_TRUE(answer(2, "late"));
  EXPECT_EQ(said(), (Lines{"B1 PA 1:7 4", "C1 RA 7:5 0"}));
  EXPECT_FALSE(answer(3, "later")) << "nothing is left to carry it";
}

TEST_F(Streams, RefuseWhereNobodyListens) {
  EXPECT_EQ(streams_.attempt(Tick(0), kClient, "B1", true), kFirstClientPort);
  EXPECT_EQ(said(), (Lines{"C1 S 0:0 0", "B1 RA 0:1 0"}));
  EXPECT_EQ(streams_.attempt(Tick(0), kClient, "B1", false), kFirstClientPort + 1);
  EXPECT_EQ(said(), (Lines{"C1 S 0:0 0"}));
}

TEST_F(Streams, CloseAllAtTheEnd) {
  open(0);
  answer(1, "x");
  said();
  streams_.close_all(Tick(2));
  EXPECT_EQ(said(), (Lines{"C1 FA 6:2 0", "B1 A 2:7 0", "B1 FA 2:7 0", "C1 A 7:3 0"}));
}

}  // namespace
}  // namespace fencepost::lab
