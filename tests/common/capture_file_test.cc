#include "common/capture_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "common/random.h"
#include "tests/scratch.h"

namespace fencepost {
namespace {

constexpr std::string_view kSha256OfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kSha256OfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

wire::CaptureRecord header() {
  wire::CaptureRecord record;
  record.set_tick(0);
  record.mutable_header()->set_scenario("zombie");
  record.mutable_header()->set_seed(1);
  return record;
}

wire::CaptureRecord fired(std::int32_t rule) {
  wire::CaptureRecord record;
  record.mutable_fired()->set_rule(rule);
  record.mutable_fired()->set_text(std::string(static_cast<std::size_t>(rule) * 7, 'x'));
  return record;
}

wire::CaptureRecord fired_at(std::int64_t tick, std::int32_t rule) {
  wire::CaptureRecord record = fired(rule);
  record.set_tick(tick);
  return record;
}

class CaptureFile : public ::testing::Test {
 protected:
  ~CaptureFile() override { std::filesystem::remove(path_); }

  std::string write(const std::vector<wire::CaptureRecord>& records) {
    CaptureWriter writer(path_);
    for (const wire::CaptureRecord& record : records) writer.append(record);
    writer.flush();
    return writer.sha256();
  }

  void write_bytes(std::string_view bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // Reads to the end or to the first error, whose message is kept.
  std::vector<wire::CaptureRecord> read() {
    std::vector<wire::CaptureRecord> records;
    error_.clear();
    try {
      CaptureReader reader(path_);
      while (const std::optional<wire::CaptureRecord> record = reader.next()) {
        records.push_back(*record);
      }
    } catch (const std::runtime_error& failure) {
      error_ = failure.what();
    }
    return records;
  }

  test::Scratch scratch_;
  std::string path_ = scratch_.path() / "capture.bin";
  std::string error_;
};

TEST(Sha256, GivesTheKnownAnswersAndGoesOnAfterThem) {
  Sha256 hash;
  EXPECT_EQ(hash.hex(), kSha256OfNothing);
  hash.update("a");
  EXPECT_EQ(hash.hex(), hash.hex());
  hash.update("bc");
  EXPECT_EQ(hash.hex(), kSha256OfAbc);
}

TEST_F(CaptureFile, GivesBackWhatWasWritten) {
  const std::vector<wire::CaptureRecord> records = {header(), fired(1), fired_at(5, 2), fired(3)};
  const std::string hash = write(records);
  const std::vector<wire::CaptureRecord> read_back = read();
  ASSERT_EQ(error_, "");
  ASSERT_EQ(read_back.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(read_back[i].SerializeAsString(), records[i].SerializeAsString());
  }
  Sha256 whole;
  whole.update(bytes());
  EXPECT_EQ(hash, whole.hex()) << "the hash is that of the file, as sha256sum prints it";
}

TEST_F(CaptureFile, FollowsTicksAndOffsets) {
  write({header(), fired_at(5, 1), fired(2), fired_at(9, 3)});
  CaptureReader reader(path_);
  std::vector<std::int64_t> ticks;
  while (reader.next()) ticks.push_back(reader.tick());
  EXPECT_EQ(ticks, (std::vector<std::int64_t>{0, 5, 5, 9}));
  EXPECT_EQ(reader.offset(), bytes().size());
}

TEST_F(CaptureFile, WithoutAPathKeepsOnlyTheHash) {
  const std::string hash = write({header(), fired(1)});
  CaptureWriter writer("");
  writer.append(header());
  writer.append(fired(1));
  EXPECT_EQ(writer.sha256(), hash);
}

TEST_F(CaptureFile, IsWholeWhenItsWriterIsGone) {
  {
    CaptureWriter writer(path_);
    writer.append(header());
  }
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(CaptureFile, MayBeLargerThanTheBuffers) {
  std::vector<wire::CaptureRecord> records = {header()};
  for (std::int32_t rule = 0; rule < 600; ++rule) records.push_back(fired(rule));
  write(records);
  EXPECT_GT(bytes().size(), 1'000'000U);
  EXPECT_EQ(read().size(), records.size());
}

TEST_F(CaptureFile, TruncatedAnywhereGivesTheRecordsBeforeAndNamesThePlace) {
  write({header(), fired(1), fired_at(5, 2)});
  const std::string whole = bytes();
  std::string frame;
  std::vector<std::size_t> ends = {0};
  for (const wire::CaptureRecord& record : {header(), fired(1), fired_at(5, 2)}) {
    append_framed(frame, record);
    ends.push_back(frame.size());
  }
  ASSERT_EQ(frame, whole);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_bytes(std::string_view(whole).substr(0, size));
    const auto complete = std::ranges::upper_bound(ends, size) - ends.begin() - 1;
    const std::size_t last_end = ends[static_cast<std::size_t>(complete)];
    EXPECT_EQ(read().size(), static_cast<std::size_t>(complete)) << size;
    if (last_end == size) {
      EXPECT_EQ(error_, "") << size;
    } else {
      EXPECT_TRUE(error_.starts_with(path_ + ": byte " + std::to_string(last_end) + ": "))
          << size << ": " << error_;
    }
  }
}

TEST_F(CaptureFile, GarbageIsAnErrorAndNeverACrash) {
  Random random(1, "garbage", Incarnation(1), "bytes");
  for (int round = 0; round < 200; ++round) {
    std::string garbage(1 + random.below(200), '\0');
    for (char& byte : garbage) byte = static_cast<char>(random.below(256));
    // Small lengths let the garbage through to the parser.
    if (round % 2 == 0) garbage.replace(0, 3, std::string(3, '\0'));
    write_bytes(garbage);
    EXPECT_TRUE(read().size() < 10);
    EXPECT_NE(error_, "") << "round " << round;
  }
}

TEST_F(CaptureFile, RefusesARecordOverTheLimit) {
  write_bytes(std::string("\x7f\xff\xff\xff", 4) + "x");
  EXPECT_TRUE(read().empty());
  EXPECT_NE(error_.find("this is not a capture"), std::string::npos) << error_;
}

TEST_F(CaptureFile, RefusesARecordThatSaysNothing) {
  write_bytes(std::string(4, '\0'));
  EXPECT_TRUE(read().empty());
  EXPECT_NE(error_.find("byte 0"), std::string::npos) << error_;
}

TEST_F(CaptureFile, RefusesATickThatGoesBack) {
  write({header(), fired_at(5, 1), fired_at(4, 2)});
  EXPECT_EQ(read().size(), 2U);
  EXPECT_NE(error_, "");
}

TEST(CaptureFiles, ThatCannotBeOpenedAreNamed) {
  const std::string absent = ::testing::TempDir() + "no/such/capture.bin";
  EXPECT_THROW(CaptureReader{absent}, std::runtime_error);
  EXPECT_THROW(CaptureWriter{absent}, std::runtime_error);
  EXPECT_THROW(CaptureReader{::testing::TempDir()}, std::runtime_error);
}

}  // namespace
}  // namespace fencepost
