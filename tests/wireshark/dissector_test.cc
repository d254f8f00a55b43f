// What the dissector does with connections that a run's own export does not have: messages cut and
// glued by TCP, other ports, and bytes that are not Fencepost's.
#include <gtest/gtest.h>

#include <random>

#include "common/error_code.h"
#include "lab/packets/info.h"
#include "tests/scratch.h"
#include "tests/wireshark/hand_made.h"
#include "tests/wireshark/tshark.h"

namespace fencepost::test {
namespace {

constexpr std::uint16_t kPort = 19092;
constexpr std::uint16_t kAnyPort = 34567;
using Texts = std::vector<std::string>;

wire::Frame request(int correlation_id) {
  wire::Frame frame;
  frame.mutable_header()->set_source("C2");
  frame.mutable_header()->set_source_incarnation(1);
  frame.mutable_header()->set_destination("B1");
  frame.mutable_header()->set_sequence(static_cast<std::uint64_t>(correlation_id));
  frame.mutable_header()->set_correlation_id(correlation_id);
  return frame;
}

wire::Frame response(int correlation_id) {
  wire::Frame frame;
  frame.mutable_header()->set_source("B1");
  frame.mutable_header()->set_source_incarnation(1);
  frame.mutable_header()->set_destination("C2");
  frame.mutable_header()->set_destination_incarnation(1);
  frame.mutable_header()->set_sequence(static_cast<std::uint64_t>(correlation_id));
  frame.mutable_header()->set_correlation_id(correlation_id);
  return frame;
}

wire::Frame commit(int correlation_id, std::int64_t offset = 7) {
  wire::Frame frame = request(correlation_id);
  wire::OffsetCommitRequest& commit = *frame.mutable_offset_commit_request();
  commit.set_group_id("billing");
  commit.set_member_id("C2-5f1c27a0-0000-4000-8000-000000000001");
  commit.set_generation_id(2);
  wire::OffsetCommitRequest::Topic& topic = *commit.add_topics();
  topic.set_name("orders");
  for (int partition = 0; partition < 2; ++partition) {
    topic.add_partitions()->set_partition_index(partition);
    topic.mutable_partitions(partition)->set_committed_offset(offset + partition);
  }
  return frame;
}

wire::Frame commit_answer(int correlation_id, std::initializer_list<ErrorCode> errors) {
  wire::Frame frame = response(correlation_id);
  auto& topic = *frame.mutable_offset_commit_response()->add_topics();
  topic.set_name("orders");
  for (const ErrorCode error : errors) topic.add_partitions()->set_error_code(to_wire(error));
  return frame;
}

class Dissector : public testing::Test {
 protected:
  Dissector() : file_(scratch_.path() / "hand.pcapng") {}
  void SetUp() override { SKIP_WITHOUT("tshark"); }

  HandMade made(std::uint16_t port = kPort) const { return {file_, port}; }
  Tshark tshark(std::vector<std::string> options = {}) const {
    return {file_, scratch_.path(), std::move(options)};
  }
  Texts infos() const { return tshark().values("fencepost", "fencepost.info"); }

  Scratch scratch_;
  std::filesystem::path file_;
};

std::string info(const wire::Frame& frame) { return lab::info_of(frame, {}); }

TEST_F(Dissector, PutsTogetherAMessageThatIsSplitOverSegments) {
  const std::string bytes = on_the_wire(commit(1));
  for (const std::size_t cut : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{5},
                                bytes.size() / 2, bytes.size() - 1}) {
    made().says(bytes.substr(0, cut)).says(bytes.substr(cut)).done();
    EXPECT_EQ(infos(), (Texts{info(commit(1))})) << "cut at " << cut;
    tshark().expect_sound();
  }
}

TEST_F(Dissector, PutsTogetherAMessageByteByByte) {
  HandMade file = made();
  for (const char byte : on_the_wire(commit(1))) file.says({&byte, 1});
  file.done();
  EXPECT_EQ(infos(), (Texts{info(commit(1))}));
}

TEST_F(Dissector, TakesMessagesOfOneSegmentApart) {
  made().says(on_the_wire(commit(1)) + on_the_wire(commit(2, 20))).done();
  EXPECT_EQ(infos(), (Texts{info(commit(1)) + "\x1b" + info(commit(2, 20))}));
  EXPECT_EQ(tshark().values("fencepost", "_ws.col.Info"),
            (Texts{info(commit(1)) + "  |  " + info(commit(2, 20))}));
}

TEST_F(Dissector, TakesApartAndPutsTogetherAtTheSameTime) {
  const std::string bytes =
      on_the_wire(commit(1)) + on_the_wire(commit(2, 20)) + on_the_wire(commit(3, 30));
  const std::size_t half = bytes.size() / 2;
  made().says(bytes.substr(0, half)).says(bytes.substr(half)).done();
  EXPECT_EQ(infos(), (Texts{info(commit(1)), info(commit(2, 20)) + "\x1b" + info(commit(3, 30))}));
  tshark().expect_sound();
}

TEST_F(Dissector, FindsConnectionsToAnyPort) {
  made(kAnyPort)
      .says(hello("C2") + on_the_wire(commit(1)))
      .answers(on_the_wire(commit_answer(1, {ErrorCode::kNone})))
      .done();
  EXPECT_EQ(tshark().count("fencepost.hello"), 1U);
  EXPECT_EQ(tshark().values("fencepost.frame", "fencepost.api"),
            (Texts{"OffsetCommit", "OffsetCommit"}));
}

TEST_F(Dissector, LeavesOtherConnectionsAlone) {
  wire::ClockMessage to_the_clock;
  to_the_clock.mutable_hello()->set_name("C2");
  to_the_clock.mutable_hello()->set_role("consumer");
  made(kAnyPort)
      .says(with_length(to_the_clock.SerializeAsString()))
      .answers("HTTP/1.1 200 OK\r\n\r\n")
      .done();
  EXPECT_EQ(tshark().count("fencepost"), 0U);
}

TEST_F(Dissector, AnswersTheFilterOfTheManual) {
  made()
      .says(on_the_wire(commit(1)))
      .answers(on_the_wire(commit_answer(1, {ErrorCode::kNone, ErrorCode::kIllegalGeneration})))
      .says(on_the_wire(commit(2)))
      .answers(on_the_wire(commit_answer(2, {ErrorCode::kNone})))
      .done();
  const std::string filter = "fencepost.group == \"billing\" && fencepost.error != 0";
  EXPECT_EQ(tshark().values(filter, "_ws.col.Info"),
            (Texts{"OffsetCommit Response  error=ILLEGAL_GENERATION"}));
  EXPECT_EQ(tshark().values(filter, "fencepost.error"), (Texts{"22"}));
  EXPECT_EQ(tshark().values("fencepost.error == 0", "frame.number"), (Texts{"4"}));
  EXPECT_EQ(tshark().values("fencepost.OffsetCommitRequest.Partition.committed_offset == 8",
                            "frame.number"),
            (Texts{"1", "3"}));
  EXPECT_EQ(tshark().values("fencepost.partition == \"orders-1\"", "frame.number"),
            (Texts{"1", "3"}));
}

TEST_F(Dissector, LinksRequestsAndResponses) {
  made()
      .says(on_the_wire(commit(1)))
      .says(on_the_wire(commit(2)))
      .answers(on_the_wire(commit_answer(2, {ErrorCode::kNone})))
      .answers(on_the_wire(commit_answer(1, {ErrorCode::kNone})))
      .done();
  const Tshark twice = tshark({"-2"});
  EXPECT_EQ(twice.values("fencepost", "fencepost.response_in"), (Texts{"4", "3", "", ""}));
  EXPECT_EQ(twice.values("fencepost", "fencepost.request_in"), (Texts{"", "", "2", "1"}));
}

TEST_F(Dissector, TakesShortNamesOfTopicsFromThePreference) {
  made().says(on_the_wire(commit(1))).done();
  EXPECT_EQ(
      tshark({"-o", "fencepost.topics:orders=o,payments=p"}).values("fencepost", "_ws.col.Info"),
      (Texts{"OffsetCommit Request  group=billing member=C2-5f1c gen=2 offsets=[o0=7 o1=8]"}));
}

TEST_F(Dissector, FollowsTheStreamByteForByte) {
  const std::string bytes = on_the_wire(commit(1));
  made().says(bytes.substr(0, 9)).says(bytes.substr(9)).done();
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  const std::string followed = tshark().text({"-q", "-z", "follow,tcp,raw,0"});
  EXPECT_NE(followed.find(hex.substr(0, 18) + "\n" + hex.substr(18)), std::string::npos)
      << followed;
}

TEST_F(Dissector, ShowsNumbersOfAllSizes) {
  HandMade file = made();
  Texts expected;
  for (const std::int64_t offset :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31, std::int64_t{1} << 53,
        (std::int64_t{1} << 53) + 1, INT64_MAX - 1, INT64_MIN}) {
    file.says(on_the_wire(commit(1, offset)));
    expected.push_back(std::to_string(offset) + "\x1b" + std::to_string(offset + 1));
  }
  file.done();
  EXPECT_EQ(
      tshark().values("fencepost", "fencepost.OffsetCommitRequest.Partition.committed_offset"),
      expected);
  tshark().expect_sound();
}

TEST_F(Dissector, WritesWhatALineMustNotHoldInHex) {
  wire::Frame frame = commit(1);
  frame.mutable_offset_commit_request()->set_group_id(
      "a\nb\x1b[31m\xff\xc3\xa9"
      "c\t");
  made().says(on_the_wire(frame)).done();
  EXPECT_EQ(tshark().values("fencepost", "_ws.col.Info"), (Texts{info(frame)}));
  tshark().expect_sound();
}

TEST_F(Dissector, CutsALongInfoAsTheListDoes) {
  wire::Frame frame = commit(1);
  std::string group(1940, 'x');
  while (group.size() < 2100) group += "\xc3\xa9";
  frame.mutable_offset_commit_request()->set_group_id(group);
  made().says(on_the_wire(frame)).done();
  EXPECT_EQ(tshark().values("fencepost", "fencepost.info"), (Texts{info(frame)}));
}

TEST_F(Dissector, MarksFieldsThatItDoesNotKnow) {
  wire::Frame frame = commit(1);
  frame.mutable_offset_commit_request()
      ->GetReflection()
      ->MutableUnknownFields(frame.mutable_offset_commit_request())
      ->AddVarint(77, 5);
  made().says(on_the_wire(frame)).done();
  EXPECT_EQ(tshark().count("fencepost.unknown"), 1U);
  EXPECT_EQ(tshark().count("fencepost.malformed || _ws.lua.error"), 0U);
  EXPECT_EQ(infos(), (Texts{info(commit(1))}));
}

TEST_F(Dissector, TakesOtherPortsFromThePreference) {
  // The middle of a message says nothing about what it is: only the port does.
  const std::string bytes = on_the_wire(commit(1));
  made(kAnyPort).says(bytes.substr(0, 3)).says(bytes.substr(3)).done();
  EXPECT_EQ(tshark().count("fencepost.frame"), 0U);
  EXPECT_EQ(tshark({"-o", "fencepost.ports:34000-35000"}).count("fencepost.frame"), 1U);
}

// A home as docs/wireshark/README.md has people make it: the plugin and the profile, copied.
TEST_F(Dissector, NeedsNothingButToBeCopied) {
  made()
      .says(on_the_wire(commit(1)))
      .answers(on_the_wire(commit_answer(1, {ErrorCode::kIllegalGeneration})))
      .done();
  const std::filesystem::path home = scratch_.path() / "home";
  const std::filesystem::path docs = std::filesystem::path(FENCEPOST_SOURCE_DIR) / "docs/wireshark";
  const auto plugins = home / ".local/lib/wireshark/plugins";
  const auto profile = home / ".config/wireshark/profiles/Fencepost";
  std::filesystem::create_directories(plugins);
  std::filesystem::create_directories(profile);
  std::filesystem::copy(docs / "fencepost.lua", plugins);
  std::filesystem::copy(docs / "profile", profile);
  const Printed printed =
      print("env",
            {"-u", "XDG_CONFIG_HOME", "-u", "XDG_DATA_HOME", "HOME=" + home.string(), "tshark",
             "-C", "Fencepost", "--color", "-r", file_.string(), "-T", "fields", "-e",
             "_ws.col.Info", "-e", "frame.coloring_rule.name"},
            scratch_.path());
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.errors, "");
  EXPECT_EQ(printed.output,
            info(commit(1)) + "\tOffsets\n" +
                "OffsetCommit Response  error=ILLEGAL_GENERATION\tRefused with an error\n");
}

// ---- garbage ----

void expect_no_lua_error(const Tshark& tshark) {
  EXPECT_EQ(tshark.text({"-Y", "_ws.lua.error"}), "");
}

TEST_F(Dissector, MarksGarbageOnItsPort) {
  made().says("GET / HTTP/1.1\r\nHost: example\r\n\r\n").done();
  EXPECT_EQ(tshark().count("fencepost.malformed"), 1U);
  made().datagram("no record of a capture").done();
  EXPECT_EQ(tshark().count("fencepost.malformed"), 1U);
}

TEST_F(Dissector, MarksWhatEndsTooEarly) {
  const std::string bytes = commit(1).SerializeAsString();
  HandMade file = made();
  std::size_t malformed = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    wire::Frame parsed;
    wire::PeerMessage message;
    if (!parsed.ParseFromString(cut)) ++malformed;
    std::string inside = "\x12";
    for (std::size_t rest = size; rest != 0; rest >>= 7) {
      inside.push_back(static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0)));
    }
    file.says(with_length(inside + cut));
  }
  file.done();
  EXPECT_EQ(tshark().count("fencepost.malformed"), malformed);
  expect_no_lua_error(tshark());
}

TEST_F(Dissector, BreaksOnNoBytes) {
  std::mt19937 random(5);  // NOLINT: the same each time
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::string sound = commit(1).SerializeAsString();
  HandMade file = made();
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = sound;
    if (round % 3 == 0) {
      bytes.assign(below(60), '\0');
      for (char& byte : bytes) byte = static_cast<char>(below(256));
    } else {
      for (std::size_t i = 0; i <= below(4); ++i) {
        bytes[below(bytes.size())] = static_cast<char>(below(256));
      }
    }
    if (round % 2 == 0) {
      wire::PeerMessage message;
      std::string inside = message.SerializeAsString() + "\x12";
      inside += static_cast<char>((bytes.size() & 127) | 128);
      inside += static_cast<char>(bytes.size() >> 7);
      file.says(with_length(inside + bytes));
    } else {
      file.datagram("\x08\x01" + bytes);
    }
  }
  file.done();
  expect_no_lua_error(tshark());
  EXPECT_GT(tshark().count("fencepost"), 1000U);
}

TEST_F(Dissector, TakesNoLengthThatNobodySends) {
  made().says(std::string("\x7f\xff\xff\xff", 4) + "abc").says("defg").done();
  EXPECT_EQ(tshark().count("fencepost.malformed"), 2U);
  made().says(std::string(4, '\0')).says(on_the_wire(commit(1))).done();
  EXPECT_EQ(tshark().count("fencepost.frame"), 1U) << "an empty message is not the end";
  expect_no_lua_error(tshark());
}

}  // namespace
}  // namespace fencepost::test
