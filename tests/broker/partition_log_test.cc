#include "broker/core/partition_log.h"

#include <gtest/gtest.h>

#include "broker/core/record_batches.h"

namespace fencepost::broker {
namespace {

// A batch of records with these timestamps, of 10 bytes of value each.
wire::RecordBatch batch_of(std::initializer_list<std::int64_t> times) {
  wire::RecordBatch batch;
  batch.set_base_timestamp(*times.begin());
  for (const std::int64_t time : times) {
    wire::Record* const record = batch.add_records();
    record->set_offset_delta(batch.records_size() - 1);
    record->set_timestamp_delta(time - *times.begin());
    record->set_value("0123456789");
  }
  batch.set_last_offset_delta(batch.records_size() - 1);
  return normalized(batch);
}

class PartitionLogTest : public testing::Test {
 protected:
  void append(std::initializer_list<std::int64_t> times) {
    wire::RecordBatch batch = batch_of(times);
    batch.set_base_offset(log_.end().value());
    log_.append(batch, batch.SerializeAsString());
  }
  std::vector<std::int64_t> read(std::int64_t from, std::int64_t bytes,
                                 PartitionLog::Minimum minimum = PartitionLog::Minimum::kNone) {
    std::vector<std::int64_t> bases;
    for (const StoredBatch& batch : log_.read(Offset(from), bytes, minimum)) {
      bases.push_back(batch.base.value());
    }
    return bases;
  }
  PartitionLog log_;
};

using Bases = std::vector<std::int64_t>;

TEST_F(PartitionLogTest, CountsFromZeroWithoutGaps) {
  EXPECT_EQ(log_.end(), Offset(0));
  append({0, 0, 0});
  append({0});
  EXPECT_EQ(log_.end(), Offset(4));
  EXPECT_EQ(log_.record_count(), 4);
}

TEST_F(PartitionLogTest, ReadsFromTheBatchThatHoldsTheOffset) {
  append({0, 0, 0});
  append({0, 0});
  append({0});
  EXPECT_EQ(read(0, 10'000), (Bases{0, 3, 5}));
  EXPECT_EQ(read(2, 10'000), (Bases{0, 3, 5}));
  EXPECT_EQ(read(3, 10'000), (Bases{3, 5}));
  EXPECT_EQ(read(5, 10'000), (Bases{5}));
  EXPECT_EQ(read(6, 10'000), (Bases{}));
}

TEST_F(PartitionLogTest, ReadsWholeBatchesWithinTheLimit) {
  append({0});
  append({0});
  const auto size = static_cast<std::int64_t>(
      log_.read(Offset(1), 10'000, PartitionLog::Minimum::kNone)[0].bytes.size());
  EXPECT_EQ(read(1, size), (Bases{1}));
  EXPECT_EQ(read(1, size - 1), (Bases{}));
  EXPECT_EQ(read(1, size - 1, PartitionLog::Minimum::kOneBatch), (Bases{1}));
  EXPECT_EQ(read(0, -1, PartitionLog::Minimum::kOneBatch), (Bases{0}));
  EXPECT_EQ(read(0, -1), (Bases{}));
}

TEST_F(PartitionLogTest, FindsTheFirstRecordThatIsNotOlder) {
  append({100, 200});
  append({150, 300, 250});
  EXPECT_EQ(log_.first_at_or_after(0), (TimedOffset{Offset(0), 100}));
  EXPECT_EQ(log_.first_at_or_after(101), (TimedOffset{Offset(1), 200}));
  EXPECT_EQ(log_.first_at_or_after(201), (TimedOffset{Offset(3), 300}));
  EXPECT_EQ(log_.first_at_or_after(301), std::nullopt);
  EXPECT_EQ(log_.youngest(), (TimedOffset{Offset(3), 300}));
}

TEST_F(PartitionLogTest, AnEmptyLogHasNoYoungestRecord) {
  EXPECT_EQ(log_.youngest(), std::nullopt);
  EXPECT_EQ(log_.first_at_or_after(0), std::nullopt);
}

struct BadBatchCase {
  const char* name;
  void (*spoil)(wire::RecordBatch&);
};

const BadBatchCase kBadBatches[] = {
    {"NoRecords", [](wire::RecordBatch& batch) { batch.clear_records(); }},
    {"WrongLastOffsetDelta", [](wire::RecordBatch& batch) { batch.set_last_offset_delta(7); }},
    {"HugeLastOffsetDelta",
     [](wire::RecordBatch& batch) { batch.set_last_offset_delta(INT32_MAX); }},
    {"GapInOffsets",
     [](wire::RecordBatch& batch) { batch.mutable_records(1)->set_offset_delta(2); }},
    {"NegativeOffsetDelta",
     [](wire::RecordBatch& batch) { batch.mutable_records(0)->set_offset_delta(-1); }},
    {"NegativeTime", [](wire::RecordBatch& batch) { batch.set_base_timestamp(-5); }},
    {"OverflowingTime",
     [](wire::RecordBatch& batch) {
       batch.set_base_timestamp(INT64_MAX);
       batch.mutable_records(1)->set_timestamp_delta(1);
     }},
    {"NegativeRecordTime",
     [](wire::RecordBatch& batch) { batch.mutable_records(1)->set_timestamp_delta(-1000); }},
    {"Control", [](wire::RecordBatch& batch) { batch.set_is_control(true); }},
    {"Transactional", [](wire::RecordBatch& batch) { batch.set_is_transactional(true); }},
    {"WithProducerId", [](wire::RecordBatch& batch) { batch.set_producer_id(4); }},
    {"TooLarge",
     [](wire::RecordBatch& batch) {
       batch.mutable_records(0)->set_value(std::string(kMaxBatchBytes, 'x'));
     }},
};

class BadBatch : public testing::TestWithParam<BadBatchCase> {};

TEST_P(BadBatch, IsAnInvalidRecord) {
  wire::RecordBatch batch = batch_of({10, 20});
  ASSERT_TRUE(check_produced(batch));
  GetParam().spoil(batch);
  ASSERT_FALSE(check_produced(batch));
  EXPECT_EQ(check_produced(batch).error(), ErrorCode::kInvalidRecord);
}

INSTANTIATE_TEST_SUITE_P(Batches, BadBatch, testing::ValuesIn(kBadBatches),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(RecordBatches, AreNamedByTheirValuesWherePrintable) {
  wire::RecordBatch batch = batch_of({0, 0, 0, 0, 0});
  batch.set_base_offset(5);
  batch.mutable_records(0)->set_value("o2.3");
  batch.mutable_records(1)->set_value(std::string(65, 'x'));
  batch.mutable_records(2)->clear_value();
  batch.mutable_records(3)->set_value("a\nb");
  batch.mutable_records(4)->set_value("inv(o2.3)");
  EXPECT_EQ(record_names(batch), "o2.3,offset 6,offset 7,offset 8,inv(o2.3)");
}

TEST(RecordBatches, TheYoungestTimestampIsComputedNotBelieved) {
  wire::RecordBatch batch = batch_of({10, 30, 20});
  batch.set_max_timestamp(99);
  EXPECT_EQ(normalized(batch).max_timestamp(), 30);
}

}  // namespace
}  // namespace fencepost::broker
