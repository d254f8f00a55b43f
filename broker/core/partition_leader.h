// What a partition's leader does besides Fetch: Produce and ListOffsets (api keys 0 and 2).
#pragma once

#include "broker/core/broker_config.h"
#include "broker/core/effects.h"
#include "broker/core/topics.h"
#include "common/error_code.h"
#include "proto/log.pb.h"

namespace fencepost::broker {

class PartitionLeader {
 public:
  PartitionLeader(const Topics& topics, RecordSink& log) : topics_(topics), log_(log) {}

  // Appends one batch a partition; with acks=0 there is no answer. Errors per partition:
  // kInvalidRequiredAcks; kInvalidTopicException, an internal topic; kUnknownTopicOrPartition;
  // kNotLeaderOrFollower; kInvalidRecord.
  void produce(const wire::ProduceRequest& request, const Caller& caller, Turn& turn);

  // By timestamp: -1 the end, -2 the start, -3 the youngest record, else the first record that is
  // not older. Errors per partition: kUnknownTopicOrPartition, kNotLeaderOrFollower,
  // kUnsupportedVersion for other negative timestamps.
  wire::ListOffsetsResponse list_offsets(const wire::ListOffsetsRequest& request) const;

 private:
  ErrorCode check(const wire::ProduceRequest& request, const std::string& topic,
                  const wire::ProduceRequest::PartitionData& data) const;
  void append(const TopicPartition& where, const wire::RecordBatch& batch, const Caller& caller,
              wire::ProduceResponse::PartitionResponse& answer, Turn& turn);

  const Topics& topics_;
  RecordSink& log_;
};

}  // namespace fencepost::broker
