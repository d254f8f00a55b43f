#include "common/error_code.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fencepost {
namespace {

struct KafkaError {
  int number;
  std::string_view name;
  bool retriable;
};

// From org.apache.kafka.common.protocol.Errors, for the codes that this project uses.
constexpr KafkaError kKafka[] = {
    {-1, "UNKNOWN_SERVER_ERROR", false},
    {0, "NONE", false},
    {1, "OFFSET_OUT_OF_RANGE", false},
    {3, "UNKNOWN_TOPIC_OR_PARTITION", true},
    {6, "NOT_LEADER_OR_FOLLOWER", true},
    {7, "REQUEST_TIMED_OUT", true},
    {12, "OFFSET_METADATA_TOO_LARGE", false},
    {13, "NETWORK_EXCEPTION", true},
    {14, "COORDINATOR_LOAD_IN_PROGRESS", true},
    {15, "COORDINATOR_NOT_AVAILABLE", true},
    {16, "NOT_COORDINATOR", true},
    {17, "INVALID_TOPIC_EXCEPTION", false},
    {19, "NOT_ENOUGH_REPLICAS", true},
    {21, "INVALID_REQUIRED_ACKS", false},
    {22, "ILLEGAL_GENERATION", false},
    {23, "INCONSISTENT_GROUP_PROTOCOL", false},
    {24, "INVALID_GROUP_ID", false},
    {25, "UNKNOWN_MEMBER_ID", false},
    {26, "INVALID_SESSION_TIMEOUT", false},
    {27, "REBALANCE_IN_PROGRESS", false},
    {28, "INVALID_COMMIT_OFFSET_SIZE", false},
    {30, "GROUP_AUTHORIZATION_FAILED", false},
    {35, "UNSUPPORTED_VERSION", false},
    {36, "TOPIC_ALREADY_EXISTS", false},
    {37, "INVALID_PARTITIONS", false},
    {38, "INVALID_REPLICATION_FACTOR", false},
    {42, "INVALID_REQUEST", false},
    {45, "OUT_OF_ORDER_SEQUENCE_NUMBER", false},
    {46, "DUPLICATE_SEQUENCE_NUMBER", false},
    {47, "INVALID_PRODUCER_EPOCH", false},
    {48, "INVALID_TXN_STATE", false},
    {49, "INVALID_PRODUCER_ID_MAPPING", false},
    {50, "INVALID_TRANSACTION_TIMEOUT", false},
    {51, "CONCURRENT_TRANSACTIONS", true},
    {52, "TRANSACTION_COORDINATOR_FENCED", false},
    {55, "OPERATION_NOT_ATTEMPTED", false},
    {59, "UNKNOWN_PRODUCER_ID", false},
    {68, "NON_EMPTY_GROUP", false},
    {69, "GROUP_ID_NOT_FOUND", false},
    {79, "MEMBER_ID_REQUIRED", false},
    {81, "GROUP_MAX_SIZE_REACHED", false},
    {82, "FENCED_INSTANCE_ID", false},
    {86, "GROUP_SUBSCRIBED_TO_TOPIC", false},
    {87, "INVALID_RECORD", false},
    {88, "UNSTABLE_OFFSET_COMMIT", true},
    {90, "PRODUCER_FENCED", false},
    {105, "TRANSACTIONAL_ID_NOT_FOUND", false},
};

TEST(ErrorCodes, HaveKafkasNumbersAndNames) {
  ASSERT_EQ(all_errors().size(), std::size(kKafka));
  for (std::size_t i = 0; i < std::size(kKafka); ++i) {
    const ErrorInfo& row = all_errors()[i];
    EXPECT_EQ(to_wire(row.code), kKafka[i].number);
    EXPECT_EQ(row.name, kKafka[i].name);
    EXPECT_EQ(row.retriable, kKafka[i].retriable) << row.name;
  }
}

TEST(ErrorCodes, GoThroughTheWireAndThroughTheirNameUnchanged) {
  for (const ErrorInfo& row : all_errors()) {
    EXPECT_EQ(error_from_wire(to_wire(row.code)), row.code);
    EXPECT_EQ(error_from_name(row.name), row.code);
    EXPECT_EQ(info(row.code).name, row.name);
  }
}

TEST(ErrorCodes, ANumberThatIsNotKafkasIsAnUnknownServerError) {
  for (const int number : {2, 4, 91, 1000, -2, 65536 + 25, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(error_from_wire(number), ErrorCode::kUnknownServerError) << number;
  }
  EXPECT_EQ(name_of(static_cast<ErrorCode>(99)), "UNKNOWN_SERVER_ERROR");
}

TEST(ErrorCodes, ANameThatIsNotKafkasIsNone) {
  EXPECT_FALSE(error_from_name(""));
  EXPECT_FALSE(error_from_name("unknown_member_id"));
  EXPECT_FALSE(error_from_name("UNKNOWN_MEMBER_ID "));
}

TEST(ErrorCodes, EachHasAnExceptionAndAMeaningOfItsOwn) {
  std::set<std::string_view> exceptions;
  std::set<std::string_view> meanings;
  for (const ErrorInfo& row : all_errors()) {
    EXPECT_TRUE(exceptions.insert(row.exception).second) << row.name;
    EXPECT_TRUE(meanings.insert(row.meaning).second) << row.name;
    EXPECT_EQ(row.exception.empty(), row.code == ErrorCode::kNone) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(ErrorCodes, OnlyLostAnswersLeaveTheEffectUnknown) {
  const std::set<ErrorCode> uncertain = {ErrorCode::kUnknownServerError, ErrorCode::kNone,
                                         ErrorCode::kRequestTimedOut, ErrorCode::kNetworkException,
                                         ErrorCode::kCoordinatorNotAvailable};
  for (const ErrorInfo& row : all_errors()) {
    EXPECT_EQ(row.definite, !uncertain.contains(row.code)) << row.name;
  }
}

}  // namespace
}  // namespace fencepost
