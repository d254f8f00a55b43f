#include "lab/history_builder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "common/capture_file.h"
#include "common/check.h"
#include "common/events.h"
#include "lab/frame_facts.h"
#include "lab/match.h"

namespace fencepost::lab {
namespace {

std::string text(const wire::Event& event, std::string_view key) {
  return std::string(events::value_of(event, key));
}

std::optional<TopicPartition> partition_of(const wire::Event& event) {
  const auto number = parse_integer(events::value_of(event, "partition"));
  if (!number) return std::nullopt;
  return TopicPartition{text(event, "topic"), PartitionId(static_cast<std::int32_t>(*number))};
}

Offset offset_of(const wire::Event& event) {
  return Offset(parse_integer(events::value_of(event, "offset")).value_or(0));
}

// "o2.3" for "inv(o2.3)".
std::optional<std::string> invoiced_record(std::string_view value) {
  if (!value.starts_with("inv(") || !value.ends_with(")")) return std::nullopt;
  return std::string(value.substr(4, value.size() - 5));
}

}  // namespace

HistoryBuilder::HistoryBuilder(std::vector<Watch> watches, Detail detail)
    : watches_(std::move(watches)),
      groups_(history_),
      offsets_(history_),
      settling_(history_, groups_),
      detail_(detail) {
  history_.watched.resize(watches_.size());
}

template <class... What>
void HistoryBuilder::watch(const What&... what) {
  for (std::size_t index = 0; index < watches_.size(); ++index) {
    const Watch& one = watches_[index];
    const bool now = one.first <= now_.tick && now_.tick <= one.last;
    if (now && matches(one.match, what...)) ++history_.watched[index];
  }
}

void HistoryBuilder::follow(const ExpectedFact& expected) {
  if (const auto* order = std::get_if<ExpectOrder>(&expected)) {
    history_.orders.push_back({*order, 0});
  }
  const auto* records = std::get_if<ExpectRecords>(&expected);
  if (records != nullptr && records->names) {
    reads_kept_ = std::max(reads_kept_, records->names->size());
  }
}

void HistoryBuilder::add(Tick tick, const wire::CaptureRecord& record) {
  now_ = {tick, now_.record + 1};
  history_.last_tick = tick;
  if (evidence_) evidence_->add(now_, record);
  switch (record.what_case()) {
    case wire::CaptureRecord::kHeader:
      history_.header = record.header();
      history_.names = PartitionNames(record.header().topics());
      break;
    case wire::CaptureRecord::kLifecycle:
      add_lifecycle(record.lifecycle());
      break;
    case wire::CaptureRecord::kStep:
      process_ = record.step().process();
      incarnation_ = Incarnation(record.step().incarnation());
      break;
    case wire::CaptureRecord::kPacket:
      add_packet(record.packet());
      break;
    case wire::CaptureRecord::kOccurrence:
      add_event(record.occurrence().event());
      break;
    case wire::CaptureRecord::kFired:
      history_.fired_rules.insert(record.fired().rule());
      if (history_.fired.size() < History::kFiredKept) {
        history_.fired.push_back({now_, record.fired().text(), record.fired().rule()});
      } else {
        ++history_.fired_beyond;
      }
      break;
    case wire::CaptureRecord::kEnd:
      history_.ended = true;
      history_.end_reason = record.end().reason();
      break;
    case wire::CaptureRecord::kReception:
    case wire::CaptureRecord::WHAT_NOT_SET:
      break;
  }
}

History HistoryBuilder::take() {
  groups_.finish();
  if (evidence_) history_.evidence = evidence_->take();
  return std::move(history_);
}

Life* HistoryBuilder::life_of(const std::string& process) {
  const auto found = current_life_.find(process);
  return found == current_life_.end() ? nullptr : &history_.lives[found->second];
}

bool HistoryBuilder::is_source(const std::string& process) const {
  const auto found = current_life_.find(process);
  return found != current_life_.end() && history_.lives[found->second].role == "producer";
}

void HistoryBuilder::add_lifecycle(const wire::Lifecycle& lifecycle) {
  const std::string& process = lifecycle.process();
  const Incarnation incarnation(lifecycle.incarnation());
  if (lifecycle.kind() == wire::Lifecycle::JOIN) {
    current_life_[process] = history_.lives.size();
    Life life;
    life.process = process;
    life.incarnation = incarnation;
    life.role = lifecycle.role();
    life.joined = now_;
    if (life.role == "probe") history_.probes[process] = {};
    history_.lives.push_back(std::move(life));
  }
  Life* life = life_of(process);
  history_.lifecycles.push_back({now_, lifecycle, life == nullptr ? "" : life->in_hand});
  const bool killed = lifecycle.kind() == wire::Lifecycle::KILL;
  if (!killed && lifecycle.kind() != wire::Lifecycle::EXIT) return;
  if (life != nullptr) {
    life->ended = now_;
    life->end = killed ? Life::End::kKilled : Life::End::kExited;
    life->exit_code = lifecycle.exit_code();
  }
  const Tick last(now_.tick.value() - (killed ? 1 : 0));
  groups_.on_death({now_, process, incarnation}, last);
}

// ---- packets ----

void HistoryBuilder::add_packet(const wire::Packet& packet) {
  const wire::Frame& frame = packet.frame();
  ++history_.packets;
  if (packet.fate() == wire::Packet::DROPPED || packet.fate() == wire::Packet::PARTITIONED) {
    ++history_.packets_lost;
  }
  watch(frame);
  if (is_response(frame)) {
    add_response(frame);
  } else {
    add_request(frame);
  }
}

void HistoryBuilder::add_request(const wire::Frame& frame) {
  const std::string& source = frame.header().source();
  auto& requests = history_.requests[source];
  const std::string_view api = api_of(frame);
  if (requests.size() < History::kRequestsKept) requests.push_back(api);
  for (OrderSeen& order : history_.orders) {
    const std::vector<std::string>& apis = order.expected.apis;
    const bool its = order.expected.process == source && order.next < apis.size();
    if (its && apis[order.next] == api) ++order.next;
  }
  if (frame.has_fetch_request()) {
    groups_.on_fetch({now_, source, Incarnation(frame.header().source_incarnation())},
                     frame.fetch_request());
  } else if (frame.has_offset_commit_request()) {
    add_commit_request(frame);
  } else if (frame.has_sync_group_request()) {
    groups_.on_sync({now_, source, Incarnation(frame.header().source_incarnation())},
                    frame.sync_group_request());
  } else if (frame.has_join_group_request()) {
    history_.group_of[source] = frame.join_group_request().group_id();
    const wire::JoinGroupRequest& request = frame.join_group_request();
    if (request.has_group_instance_id()) {
      groups_.on_static_join(source, request.group_instance_id());
    }
  }
}

void HistoryBuilder::add_commit_request(const wire::Frame& frame) {
  const wire::OffsetCommitRequest& request = frame.offset_commit_request();
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      OffsetFact fact;
      fact.when = now_;
      fact.process = frame.header().source();
      fact.group = request.group_id();
      fact.partition = {topic.name(), PartitionId(part.partition_index())};
      fact.offset = Offset(part.committed_offset());
      offsets_.asked(fact);
    }
  }
}

void HistoryBuilder::add_response(const wire::Frame& frame) {
  const std::string& destination = frame.header().destination();
  for (const ErrorCode code : errors_in(frame)) {
    const ErrorInfo& error = info(code);
    note_error({destination, std::string(api_of(frame)), std::string(error.name),
                std::string(error.exception)},
               "");
  }
  if (frame.has_join_group_response() && !frame.join_group_response().member_id().empty()) {
    const wire::JoinGroupResponse& answer = frame.join_group_response();
    groups_.on_member_id(destination, answer.member_id());
    if (answer.error_code() == 0) {
      groups_.on_joined({now_, destination, {}}, history_.group_of[destination], answer.member_id(),
                        Generation(answer.generation_id()));
    }
  }
  if (frame.has_heartbeat_response() && frame.heartbeat_response().error_code() == 0) {
    groups_.on_accepted(destination);
  }
  if (frame.has_offset_fetch_response()) add_offset_answer(frame);
}

void HistoryBuilder::add_offset_answer(const wire::Frame& frame) {
  for (const auto& group : frame.offset_fetch_response().groups()) {
    if (group.error_code() != 0) continue;
    for (const auto& topic : group.topics()) {
      for (const auto& part : topic.partitions()) {
        if (part.error_code() != 0) continue;
        OffsetFact fact;
        fact.when = now_;
        fact.process = frame.header().destination();
        fact.group = group.group_id();
        fact.partition = {topic.name(), PartitionId(part.partition_index())};
        if (part.committed_offset() >= 0) fact.offset = Offset(part.committed_offset());
        offsets_.told(fact);
      }
    }
  }
}

void HistoryBuilder::note_error(const ErrorKey& key, const std::string& detail) {
  ErrorFact& fact = history_.errors[key];
  if (fact.count == 0) {
    fact.first = now_;
    fact.detail = detail;
  }
  ++fact.count;
  fact.last = now_;
}

// ---- events ----

void HistoryBuilder::add_event(const wire::Event& event) {
  const std::string& name = event.name();
  ++history_.events;
  watch(process_, event);
  groups_.on_event({now_, process_, incarnation_}, event);
  if (name == events::kRecordProcessing) {
    if (Life* life = life_of(process_)) life->in_hand = text(event, "record");
  } else if (name == events::kRecordProcessed) {
    if (Life* life = life_of(process_)) life->in_hand.clear();
    const std::string record = text(event, "record");
    settling_.reopen(record);
    history_.processed[record].push_back({now_, process_});
  } else if (name == events::kRecordSent) {
    if (!is_source(process_)) history_.writers.insert(process_);
  } else if (name == events::kLogAppended) {
    add_appended(event);
  } else if (name == events::kRecordRead) {
    add_read(event);
  } else if (name == events::kOffsetCommitted) {
    add_commit(event);
  } else if (name == events::kOffsetRemoved) {
    const auto partition = partition_of(event);
    if (partition) offsets_.removed(text(event, "group"), *partition);
  } else if (name == events::kPositionReset) {
    const auto partition = partition_of(event);
    if (!partition) return;
    history_.resets.push_back(
        {now_, process_, *partition, offset_of(event), text(event, "policy")});
  } else if (event.name().starts_with("probe.")) {
    add_probe(event);
  } else {
    add_client_error(event);
  }
}

void HistoryBuilder::add_probe(const wire::Event& event) {
  ProbeFact& probe = history_.probes[process_];
  if (event.name() == events::kProbeAnswered) ++probe.answers;
  if (event.name() == events::kProbeFinished) probe.finished = true;
  if (event.name() != events::kProbeMismatch) return;
  const std::string field = text(event, "field");
  probe.mismatch = fmt::format("step {}, {}{}: expected {}, found {}", text(event, "step"),
                               text(event, "request"), field.empty() ? "" : ", " + field,
                               text(event, "expected"), text(event, "found"));
}

void HistoryBuilder::add_read(const wire::Event& event) {
  const auto partition = partition_of(event);
  if (!partition) return;
  std::string record = text(event, "record");
  Reads& reads = history_.reads[process_];
  ++reads.count;
  if (!reads.different.insert(record)) reads.again.insert(record);
  if (reads.first.size() >= reads_kept_ && detail_ != Detail::kAll) return;
  reads.first.push_back({now_, std::move(record), *partition, offset_of(event)});
}

// What was committed before this commit is settled rather than what it commits: who commits first
// and processes afterwards has done that by now.
void HistoryBuilder::add_commit(const wire::Event& event) {
  const auto partition = partition_of(event);
  if (!partition) return;
  const std::string group = text(event, "group");
  const auto before = history_.last_commits.find({group, *partition});
  if (detail_ == Detail::kUnsettled && before != history_.last_commits.end() &&
      before->second.offset) {
    settling_.committed(*partition, *before->second.offset);
  }
  offsets_.stored(
      {now_, groups_.process_of(text(event, "member")), group, *partition, offset_of(event)});
}

void HistoryBuilder::add_client_error(const wire::Event& event) {
  const std::string& name = event.name();
  if (name == events::kCommitFailed) {
    note_error({process_, "", text(event, "error"), text(event, "exception")},
               "commit of " + text(event, "offsets"));
  } else if (name == events::kClientError) {
    note_error({process_, "", text(event, "error"), text(event, "exception")},
               text(event, "where"));
  } else if (name == events::kRecordFailed) {
    const auto code = error_from_name(events::value_of(event, "error"));
    const std::string exception = code ? std::string(info(*code).exception) : "";
    note_error({process_, "", text(event, "error"), exception}, text(event, "record"));
  }
}

void HistoryBuilder::add_appended(const wire::Event& event) {
  const auto partition = partition_of(event);
  if (!partition || partition->topic.starts_with("__")) return;
  Appended appended;
  appended.when = now_;
  appended.partition = *partition;
  appended.offset = offset_of(event);
  appended.producer = text(event, "producer");
  for (const std::string_view name : split(events::value_of(event, "records"), ',')) {
    if (const auto record = invoiced_record(name)) {
      settling_.reopen(*record);
      history_.invoices[*record].push_back(appended);
    } else if (is_source(appended.producer)) {
      const std::string record_name(name);
      settling_.reopen(record_name);
      RecordFact& fact = history_.records[record_name];
      if (fact.appended.empty()) fact.home = *partition;
      fact.appended.push_back(appended);
      settling_.written(record_name, fact);
    }
    appended.offset = appended.offset + 1;
  }
}

// ---- results ----

std::set<std::string> History::groups() const {
  std::set<std::string> found;
  for (const Rebalance& rebalance : rebalances) found.insert(rebalance.group);
  return found;
}

std::map<TopicPartition, Offset> History::committed(const std::string& group) const {
  std::map<TopicPartition, Offset> offsets;
  for (const auto& [place, commit] : last_commits) {
    if (place.first == group && commit.offset) offsets[place.second] = *commit.offset;
  }
  return offsets;
}

History read_history(const std::string& path, const std::vector<Watch>& watches, Detail detail) {
  CaptureReader reader(path);
  HistoryBuilder builder(watches, detail);
  while (const auto record = reader.next()) builder.add(Tick(reader.tick()), *record);
  return builder.take();
}

History read_history(const std::string& path, const Expectations& expected, Reading reading) {
  CaptureReader reader(path);
  HistoryBuilder builder(expected.watches);
  const bool asks_why = std::ranges::any_of(expected.list, [](const Expectation& one) {
    return std::holds_alternative<ExpectWhy>(one.fact);
  });
  if (asks_why || reading == Reading::kWithEvidence) builder.collect_evidence();
  for (const Expectation& one : expected.list) builder.follow(one.fact);
  while (const auto record = reader.next()) builder.add(Tick(reader.tick()), *record);
  return builder.take();
}

}  // namespace fencepost::lab
