#include "lab/why/evidence.h"

#include <algorithm>
#include <tuple>

#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/why/asked.h"

namespace fencepost::lab::why {
namespace {

std::string text(const wire::Event& event, std::string_view key) {
  return std::string(events::value_of(event, key));
}

std::int64_t number(const wire::Event& event, std::string_view key) {
  return parse_integer(events::value_of(event, key)).value_or(0);
}

TopicPartition place_of(const wire::Event& event) {
  return {text(event, "topic"), PartitionId(static_cast<std::int32_t>(number(event, "partition")))};
}

}  // namespace

class EvidenceBuilder::Reader {
 public:
  void add(const Moment& now, const wire::CaptureRecord& record);
  std::shared_ptr<const Evidence> take();

 private:
  using Request = std::pair<std::string, std::int32_t>;  // process, correlation id

  void add_lifecycle(const wire::Lifecycle& what);
  void add_packet(const wire::Packet& packet);
  void add_fault(const wire::Packet& packet);
  void add_request(const wire::Frame& frame);
  void add_join(const wire::Frame& frame);
  void add_leave(const wire::Frame& frame);
  void add_response(const wire::Frame& frame);
  void add_joined(const std::string& process, const Asked& asked,
                  const wire::JoinGroupResponse& answer);
  void add_refusals(const wire::Frame& frame, const Asked& asked);
  void add_refusal(Refusal refusal);
  void forget_refusals(const std::string& process);
  void note_heard(const std::string& member, const char* how);
  void note_sent(const wire::Packet& packet);
  std::optional<Heard> heard_last(const std::string& member, const wire::Cause& cause) const;
  void add_event(const wire::Occurrence& occurrence);
  void add_group_event(const wire::Occurrence& occurrence, const std::string& source);
  void add_offset_event(const wire::Event& event, const std::string& source);
  void add_client_event(const wire::Event& event);
  void add_busy(const wire::Event& event);
  void add_commit(const wire::Event& event, const std::string& source);
  void add_member(const wire::Event& event, const std::string& source);
  void add_removal(const wire::Occurrence& occurrence);

  template <class Item>
  static void keep(std::vector<Item>& list, Item item) {
    if (list.size() < Evidence::kKept) list.push_back(std::move(item));
  }

  std::shared_ptr<Evidence> found_ = std::make_shared<Evidence>();
  Moment now_;
  std::string process_;  // whose step it is
  std::map<Request, Asked> unanswered_;
  std::map<std::string, JoinRequest> joining_;  // the last JoinGroup, by process
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> times_;  // session, rebalance ms
  std::map<std::string, std::vector<Heard>> heard_;                     // by member, the last ones
  std::map<std::string, Busy> busy_;                                    // by process
  std::map<std::pair<std::string, std::string>, std::string> holder_;   // member by group, instance
  std::map<std::pair<std::string, TopicPartition>, Offset> committed_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> last_refusal_;
  std::map<std::tuple<std::string, std::string, std::string, int>, std::size_t> last_fault_;
};

void EvidenceBuilder::Reader::add(const Moment& now, const wire::CaptureRecord& record) {
  now_ = now;
  if (record.has_step()) process_ = record.step().process();
  if (record.has_lifecycle()) add_lifecycle(record.lifecycle());
  if (record.has_packet()) add_packet(record.packet());
  if (record.has_occurrence()) add_event(record.occurrence());
}

std::shared_ptr<const Evidence> EvidenceBuilder::Reader::take() {
  for (Member& member : found_->members) {
    if (member.process.empty()) member.process = found_->process_of_member[member.id];
  }
  return found_;
}

void EvidenceBuilder::Reader::add_lifecycle(const wire::Lifecycle& what) {
  if (what.kind() != wire::Lifecycle::JOIN) return;
  busy_.erase(what.process());
  forget_refusals(what.process());
  const auto first = unanswered_.lower_bound({what.process(), 0});
  const auto last = std::find_if(
      first, unanswered_.end(), [&](const auto& one) { return one.first.first != what.process(); });
  unanswered_.erase(first, last);
}

// ---- packets ----

void EvidenceBuilder::Reader::add_packet(const wire::Packet& packet) {
  if (packet.has_rule()) add_fault(packet);
  note_sent(packet);
  is_response(packet.frame()) ? add_response(packet.frame()) : add_request(packet.frame());
}

void EvidenceBuilder::Reader::note_sent(const wire::Packet& packet) {
  const std::string& source = packet.frame().header().source();
  std::vector<Activity>& spans = found_->activity[source];
  const bool goes_on = !spans.empty() && spans.back().last + TickSpan(1) >= now_.tick;
  if (!goes_on && spans.size() < Evidence::kKept) spans.push_back({now_.tick, now_.tick});
  spans.back().last = now_.tick;
  const wire::Cause& cause = packet.cause();
  const bool looks = packet.frame().has_find_coordinator_request();
  if (looks && cause.timer() == "request.timeout.ms") {
    keep(found_->timeouts, {now_, source, Tick(cause.armed_tick())});
  }
}

void EvidenceBuilder::Reader::note_heard(const std::string& member, const char* how) {
  constexpr std::size_t kLast = 16;
  if (member.empty()) return;
  std::vector<Heard>& heard = heard_[member];
  if (heard.size() == kLast) heard.erase(heard.begin());
  heard.push_back({now_.tick, how});
}

// The coordinator's own timer knows when it was armed: not every answer arms it
// (group-protocol 1.5).
std::optional<Heard> EvidenceBuilder::Reader::heard_last(const std::string& member,
                                                         const wire::Cause& cause) const {
  const auto known = heard_.find(member);
  const bool timed = cause.timer() == "session.timeout.ms";
  if (!timed) return known == heard_.end() ? std::nullopt : std::optional(known->second.back());
  Heard found{Tick(cause.armed_tick()), "answered"};
  if (known == heard_.end()) return found;
  for (const Heard& one : known->second) {
    if (one.tick == found.tick) found = one;
  }
  return found;
}

void EvidenceBuilder::Reader::add_fault(const wire::Packet& packet) {
  const wire::Header& header = packet.frame().header();
  const std::string api(api_of(packet.frame()));
  const auto [at, is_new] = last_fault_.try_emplace(
      {header.source(), header.destination(), api, packet.rule()}, found_->faults.size());
  if (!is_new) {
    FaultedPackets& fault = found_->faults[at->second];
    fault.last = now_;
    ++fault.count;
    return;
  }
  FaultedPackets fault;
  fault.first = fault.last = now_;
  fault.source = header.source();
  fault.destination = header.destination();
  fault.api = api;
  fault.response = is_response(packet.frame());
  fault.fate = packet.fate();
  fault.rule = packet.rule();
  found_->faults.push_back(std::move(fault));
}

void EvidenceBuilder::Reader::add_request(const wire::Frame& frame) {
  const std::string& source = frame.header().source();
  unanswered_[{source, frame.header().correlation_id()}] = asked_of(now_, frame);
  if (frame.has_join_group_request()) add_join(frame);
  if (frame.has_leave_group_request()) add_leave(frame);
}

void EvidenceBuilder::Reader::add_join(const wire::Frame& frame) {
  const wire::JoinGroupRequest& request = frame.join_group_request();
  JoinRequest join;
  join.sent = now_;
  join.process = frame.header().source();
  join.group = request.group_id();
  join.member = request.member_id();
  join.instance = request.group_instance_id();
  join.reason = request.reason();
  for (const auto& protocol : request.protocols()) join.protocols.push_back(protocol.name());
  if (!join.member.empty()) found_->process_of_member.try_emplace(join.member, join.process);
  times_[join.process] = {request.session_timeout_ms(), request.rebalance_timeout_ms()};
  joining_[join.process] = join;
  keep(found_->joins, std::move(join));
}

void EvidenceBuilder::Reader::add_leave(const wire::Frame& frame) {
  const wire::LeaveGroupRequest& request = frame.leave_group_request();
  LeaveRequest leave;
  leave.sent = now_;
  leave.process = frame.header().source();
  leave.group = request.group_id();
  for (const auto& member : request.members()) {
    leave.members.push_back(member.member_id().empty() ? member.group_instance_id()
                                                       : member.member_id());
    leave.reason = member.reason();
  }
  const auto busy = busy_.find(leave.process);
  if (busy != busy_.end()) leave.busy = busy->second;
  keep(found_->leaves, std::move(leave));
}

void EvidenceBuilder::Reader::add_response(const wire::Frame& frame) {
  const std::string& process = frame.header().destination();
  const auto request = unanswered_.find({process, frame.header().correlation_id()});
  Asked asked;
  if (request != unanswered_.end()) {
    asked = request->second;
    unanswered_.erase(request);
  }
  add_refusals(frame, asked);
  if (frame.has_join_group_response()) add_joined(process, asked, frame.join_group_response());
  if (frame.has_sync_group_response() && frame.sync_group_response().error_code() == 0) {
    note_heard(asked.member, "answered");
  }
  if (frame.has_heartbeat_response()) {
    const ErrorCode error = error_from_wire(frame.heartbeat_response().error_code());
    const bool known = error == ErrorCode::kNone || error == ErrorCode::kRebalanceInProgress;
    if (known) note_heard(asked.member, "heard");
  }
  if (frame.has_offset_commit_response() && errors_in(frame).empty()) {
    note_heard(asked.member, "heard");
  }
}

void EvidenceBuilder::Reader::add_joined(const std::string& process, const Asked& asked,
                                         const wire::JoinGroupResponse& answer) {
  if (answer.member_id().empty()) return;
  found_->process_of_member[answer.member_id()] = process;
  if (answer.error_code() != 0) return;
  note_heard(answer.member_id(), "answered");
  forget_refusals(process);
  const auto join = joining_.find(process);
  if (join == joining_.end() || join->second.instance.empty()) return;
  std::string& holder = holder_[{asked.group, join->second.instance}];
  if (holder == answer.member_id()) return;
  // A static member that came back is no new member for the coordinator: there is no event.
  if (!holder.empty()) {
    Member member;
    member.group = asked.group;
    member.id = answer.member_id();
    member.process = process;
    member.instance = join->second.instance;
    member.added = now_;
    member.session_ms = times_[process].first;
    member.rebalance_ms = times_[process].second;
    member.replaced = holder;
    keep(found_->members, std::move(member));
  }
  holder = answer.member_id();
}

void EvidenceBuilder::Reader::add_refusals(const wire::Frame& frame, const Asked& asked) {
  for (const ErrorCode code : errors_in(frame)) {
    Refusal refusal;
    refusal.first = refusal.last = now_;
    refusal.process = frame.header().destination();
    refusal.api = std::string(api_of(frame));
    refusal.error = std::string(fencepost::info(code).name);
    refusal.exception = std::string(fencepost::info(code).exception);
    refusal.group = asked.group;
    refusal.member = asked.member;
    refusal.generation = asked.generation;
    refusal.sent = asked.sent;
    if (frame.has_fetch_response()) {
      for (const auto& topic : frame.fetch_response().responses()) {
        for (const auto& part : topic.partitions()) {
          if (error_from_wire(part.error_code()) != code) continue;
          refusal.places.push_back({topic.topic(), PartitionId(part.partition_index())});
        }
      }
    }
    add_refusal(std::move(refusal));
  }
}

// A member anew, or again: what is refused from now on is told apart from what was before.
void EvidenceBuilder::Reader::forget_refusals(const std::string& process) {
  std::erase_if(last_refusal_,
                [&](const auto& entry) { return std::get<0>(entry.first) == process; });
}

void EvidenceBuilder::Reader::add_refusal(Refusal refusal) {
  const auto [last, is_new] = last_refusal_.try_emplace(
      {refusal.process, refusal.api, refusal.error}, found_->refusals.size());
  if (!is_new && last->second < found_->refusals.size()) {
    Refusal& before = found_->refusals[last->second];
    const bool same = before.group == refusal.group && before.member == refusal.member &&
                      before.generation == refusal.generation && before.places == refusal.places;
    if (same) {
      before.last = refusal.last;
      ++before.count;
      return;
    }
  }
  last->second = found_->refusals.size();
  keep(found_->refusals, std::move(refusal));
}

// ---- events ----

void EvidenceBuilder::Reader::add_event(const wire::Occurrence& occurrence) {
  const wire::Event& event = occurrence.event();
  const wire::Cause& cause = occurrence.cause();
  const std::string source = cause.kind() == wire::Cause::FRAME ? cause.source() : "";
  add_group_event(occurrence, source);
  add_offset_event(event, source);
  add_client_event(event);
  add_busy(event);
}

void EvidenceBuilder::Reader::add_group_event(const wire::Occurrence& occurrence,
                                              const std::string& source) {
  const wire::Event& event = occurrence.event();
  const std::string& name = event.name();
  if (name == events::kMemberAdded) add_member(event, source);
  if (name == events::kMemberRemoved) add_removal(occurrence);
  if (name == events::kGroupState) {
    keep(found_->states,
         {now_, text(event, "group"), text(event, "from"), text(event, "to"),
          static_cast<std::int32_t>(number(event, "generation")), text(event, "reason")});
  }
  if (name == events::kBrokerLoaded) {
    keep(found_->loads, {now_, process_});
    for (auto& [member, heard] : heard_) note_heard(member, "begun anew, by the restart,");
  }
  const bool topic = name == events::kTopicCreated || name == events::kPartitionsAdded ||
                     name == events::kTopicDeleted;
  if (topic) {
    keep(found_->topics, {now_, name, text(event, "topic"), text(event, "partitions"), source});
  }
}

void EvidenceBuilder::Reader::add_member(const wire::Event& event, const std::string& source) {
  Member member;
  member.group = text(event, "group");
  member.id = text(event, "member");
  member.added = now_;
  const auto known = found_->process_of_member.find(member.id);
  member.process = !source.empty()                            ? source
                   : known != found_->process_of_member.end() ? known->second
                                                              : "";
  if (!member.process.empty()) found_->process_of_member[member.id] = member.process;
  const auto join = joining_.find(member.process);
  if (join != joining_.end()) {
    member.instance = join->second.instance;
    member.session_ms = times_[member.process].first;
    member.rebalance_ms = times_[member.process].second;
    if (!member.instance.empty()) holder_[{member.group, member.instance}] = member.id;
  }
  keep(found_->members, std::move(member));
}

void EvidenceBuilder::Reader::add_removal(const wire::Occurrence& occurrence) {
  const wire::Event& event = occurrence.event();
  Removal removal;
  removal.when = now_;
  removal.group = text(event, "group");
  removal.member = text(event, "member");
  removal.reason = text(event, "reason");
  removal.heard = heard_last(removal.member, occurrence.cause());
  heard_.erase(removal.member);
  const auto process = found_->process_of_member.find(removal.member);
  if (process != found_->process_of_member.end()) {
    const auto busy = busy_.find(process->second);
    if (busy != busy_.end()) removal.busy = busy->second;
  }
  std::erase_if(holder_, [&](const auto& one) { return one.second == removal.member; });
  keep(found_->removals, std::move(removal));
}

void EvidenceBuilder::Reader::add_offset_event(const wire::Event& event,
                                               const std::string& source) {
  const std::string& name = event.name();
  if (name == events::kOffsetCommitted) add_commit(event, source);
  if (name == events::kOffsetRemoved) {
    const TopicPartition where = place_of(event);
    committed_.erase({text(event, "group"), where});
    keep(found_->offset_removals, {now_, text(event, "group"), where, text(event, "reason")});
  }
  if (name == events::kLogDeleted) {
    keep(found_->log_begins, {now_, place_of(event), Offset(number(event, "offset"))});
  }
  if (name == events::kProduceRetry) {
    Retry retry{now_, process_, place_of(event), {}, text(event, "reason")};
    for (const std::string_view record : split(events::value_of(event, "records"), ',')) {
      retry.records.emplace_back(record);
    }
    keep(found_->retries, std::move(retry));
  }
}

void EvidenceBuilder::Reader::add_commit(const wire::Event& event, const std::string& source) {
  const std::pair<std::string, TopicPartition> key{text(event, "group"), place_of(event)};
  const Offset offset(number(event, "offset"));
  const auto [before, is_new] = committed_.try_emplace(key, offset);
  if (is_new) found_->first_commits.try_emplace(key, Commit{now_, source, offset});
  if (before->second > offset) {
    keep(found_->rewinds,
         {now_, key.first, key.second, before->second, offset, text(event, "member"), source});
  }
  before->second = offset;
}

void EvidenceBuilder::Reader::add_client_event(const wire::Event& event) {
  const std::string& name = event.name();
  if (name == events::kClientCalled) {
    keep(found_->calls, {now_, process_, text(event, "method"), text(event, "arguments")});
  }
  if (name == events::kClientState && events::value_of(event, "to") == "UNJOINED") {
    keep(found_->unjoined, {now_, process_, text(event, "group"), text(event, "member"),
                            text(event, "reason"), busy_[process_]});
  }
  const bool commit = name == events::kCommitFailed;
  if (!commit && name != events::kClientError) return;
  keep(found_->reported, {now_, process_, text(event, "error"), text(event, "exception"),
                          text(event, commit ? "offsets" : "where"), commit});
}

void EvidenceBuilder::Reader::add_busy(const wire::Event& event) {
  const std::string& name = event.name();
  if (name == events::kPollReturned) {
    Busy& busy = busy_[process_];
    busy.batch = number(event, "count");
    busy.polled = now_.tick;
  }
  if (name == events::kRecordProcessing) {
    Busy& busy = busy_[process_];
    busy.record = text(event, "record");
    busy.since = now_.tick;
  }
  if (name == events::kRecordProcessed) busy_[process_].record.clear();
}

EvidenceBuilder::EvidenceBuilder() : reader_(std::make_unique<Reader>()) {}
EvidenceBuilder::~EvidenceBuilder() = default;

void EvidenceBuilder::add(const Moment& now, const wire::CaptureRecord& record) {
  reader_->add(now, record);
}

std::shared_ptr<const Evidence> EvidenceBuilder::take() { return reader_->take(); }

}  // namespace fencepost::lab::why
