#include "common/events.h"

#include <algorithm>
#include <array>

namespace fencepost::events {
namespace {

constexpr std::array kEvents = std::to_array<EventInfo>({
    {kAssignmentComputed, "group,generation,assignor,assignment",
     "the group's leader ran its assignor; assignment is \"C1=orders-0,orders-1;C2=\""},
    {kBrokerLoaded, "topics,groups,records", "a broker has started and replayed its log"},
    {kClientCalled, "method,arguments", "the application carries out a `call` of the timeline"},
    {kClientClosed, "group,member", "a consumer has closed: it left its group and ends"},
    {kClientError, "error,exception,where", "an error that the client reports to its application"},
    {kClientState, "group,member,generation,from,to,reason",
     "the client's side of the group protocol changed its state"},
    {kCommitFailed, "group,member,generation,offsets,error,exception",
     "a commit was refused, or failed locally without a request (error is then NONE)"},
    {kGroupState, "group,from,to,generation,reason,members",
     "the coordinator moved a group to another state"},
    {kLogAppended, "topic,partition,offset,count,records,producer",
     "a partition leader appended records; records are their names, producer who sent them"},
    {kLogDeleted, "topic,partition,offset,count",
     "a partition leader removed its oldest records: its log begins at offset now"},
    {kMemberAdded, "group,member,client", "the coordinator added a member to a group"},
    {kMemberRemoved, "group,member,client,reason", "the coordinator removed a member from a group"},
    {kOffsetCommitted, "group,topic,partition,offset,member,generation",
     "the coordinator stored a committed offset"},
    {kOffsetRemoved, "group,topic,partition,offset,reason",
     "the coordinator removed a committed offset: it expired, or somebody deleted it, its group or "
     "its topic"},
    {kOffsetsCommitted, "group,member,generation,offsets", "the client's commit has succeeded"},
    {kPartitionsAdded, "topic,partitions", "a topic has so many partitions now"},
    {kPartitionsAssigned, "group,member,generation,partitions,owned",
     "onPartitionsAssigned: the partitions added, and all that are owned now"},
    {kPartitionsLost, "group,member,generation,partitions", "onPartitionsLost"},
    {kPartitionsRevoked, "group,member,generation,partitions", "onPartitionsRevoked"},
    {kPollReturned, "count,records", "poll returned records to the application"},
    {kPositionReset, "topic,partition,offset,policy",
     "a partition had no committed offset, or its position was out of range"},
    {kProbeAnswered, "step,request,error",
     "an answer to a probe has come, or there will be none; error is the first one in it, or NONE"},
    {kProbeFinished, "requests", "a probe has come to the end of its script"},
    {kProbeMismatch, "step,request,field,expected,found",
     "an answer to a probe is not as its script expects; the probe ends"},
    {kProcessExited, "code",
     "a process has ended by itself, not by a kill; for `when` only, a capture has EXIT instead"},
    {kProduceRetry, "topic,partition,records,reason", "the producer sends a batch again"},
    {kRecordAcknowledged, "record,topic,partition,offset", "a record that was sent is in the log"},
    {kRecordFailed, "record,topic,partition,error", "a record could not be sent"},
    {kRecordProcessed, "record,topic,partition,offset", "the application is done with a record"},
    {kRecordProcessing, "record,topic,partition,offset", "the application begins with a record"},
    {kRecordRead, "record,topic,partition,offset", "a reader without a group saw a record"},
    {kRecordSent, "record,topic,partition", "the application handed a record to its producer"},
    {kSourceFinished, "records", "a source has written all that it was asked to write"},
    {kTopicCreated, "topic,partitions", "a topic was created"},
    {kTopicDeleted, "topic,partitions", "a topic was deleted, with its records"},
});

}  // namespace

std::span<const EventInfo> all_events() { return kEvents; }

wire::Event make(std::string_view name,
                 std::initializer_list<std::pair<std::string_view, std::string>> attributes) {
  wire::Event event;
  event.set_name(std::string(name));
  for (const auto& [key, value] : attributes) {
    wire::Attribute* attribute = event.add_attributes();
    attribute->set_key(std::string(key));
    attribute->set_value(value);
  }
  return event;
}

std::string_view value_of(const wire::Event& event, std::string_view key) {
  for (const wire::Attribute& attribute : event.attributes()) {
    if (attribute.key() == key) return attribute.value();
  }
  return {};
}

}  // namespace fencepost::events
