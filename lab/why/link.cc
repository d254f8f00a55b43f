#include "lab/why/link.h"

#include <spdlog/fmt/fmt.h>

#include <array>

#include "common/check.h"
#include "lab/wording.h"

namespace fencepost::lab::why {
namespace {

constexpr std::size_t kNamed = 8;
constexpr bool kEnds = true;
constexpr bool kGoesOn = false;

constexpr auto kKinds = std::to_array<KindInfo>({
    {Kind::kJoined, "joined", "process", "{process} joined for the first time", kGoesOn,
     "a process became a member that had not been one before"},
    {Kind::kJoinedAgain, "joined.again", "process", "{process} joined again as a new member",
     kGoesOn, "a process became a member anew: its membership had ended, or it was restarted"},
    {Kind::kStaticReturned, "static.returned", "process",
     "the static member {process} came back[, with other assignors or topics ({detail})]", kGoesOn,
     "a member with a group.instance.id joined again under a new member id"},
    {Kind::kSessionTimeout, "session.timeout", "process",
     "{process}'s session timed out[, last {detail} at tick {since}][, {setting}]", kGoesOn,
     "the coordinator did not hear of a member for session.timeout.ms"},
    {Kind::kRebalanceTimeout, "rebalance.timeout", "process",
     "{process} did not rejoin in time[ (the rebalance began at tick {since})][, {setting}]",
     kGoesOn, "a member did not join again within the rebalance timeout, max.poll.interval.ms"},
    {Kind::kSyncTimeout, "sync.timeout", "process",
     "{process} sent no SyncGroup in time[, {setting}]", kGoesOn,
     "a member did not send SyncGroup within the rebalance timeout"},
    {Kind::kMaxPollInterval, "max.poll.interval", "process",
     "{process} left by itself at tick {tick}[: its last poll was at tick {since}][, {setting}]",
     kGoesOn, "the client left since its application did not poll for max.poll.interval.ms"},
    {Kind::kLeft, "left", "process", "{process} left[ ({detail})]", kGoesOn,
     "the member sent LeaveGroup"},
    {Kind::kUnsubscribed, "unsubscribed", "process", "{process} unsubscribed at tick {tick}",
     kGoesOn, "the application called unsubscribe"},
    {Kind::kRemovedBy, "removed.by", "process", "{other} removed {process} from the group", kEnds,
     "an administrator or a probe sent LeaveGroup for a member"},
    {Kind::kInstanceTaken, "instance.taken", "process",
     "{other} took {process}'s place at tick {tick}: both have group.instance.id={subject}",
     kGoesOn, "another process joined with the same group.instance.id"},
    {Kind::kMetadataChanged, "metadata.changed", "process",
     "the leader {process} saw other partitions at its metadata refresh[, {setting}]", kGoesOn,
     "the leader joined again since topics that the group reads had changed"},
    {Kind::kSubscriptionChanged, "subscription.changed", "process",
     "{process} subscribed to other topics", kGoesOn,
     "the application subscribed anew, or a topic began or ceased to match its pattern"},
    {Kind::kEnforced, "enforced", "process", "{process} asked for it (enforceRebalance)", kGoesOn,
     "the application called enforceRebalance"},
    {Kind::kGaveUp, "gave.up", "process",
     "{process} joined again, since it had given up[ {subject}] for others", kEnds,
     "cooperative: a member that gave partitions up joins again so that another one gets them"},
    {Kind::kRefused, "refused", "process",
     "{process}'s {detail} had been refused with {subject} at tick {tick}", kGoesOn,
     "an answer with an error made the member join again"},
    {Kind::kRejoined, "rejoined", "process", "{process} joined again[: {detail}]", kGoesOn,
     "a member joined again for another reason"},
    {Kind::kGroupMaxSize, "group.max.size", "subject",
     "the group had more members than it may have[, {setting}]", kEnds,
     "a coordinator loaded a group that is larger than group.max.size"},
    {Kind::kStarted, "started", "process", "{process} had been started at tick {tick}[ {person}]",
     kEnds, "a process began its first life"},
    {Kind::kRestarted, "restarted", "process",
     "{process} had been started again at tick {tick}[ {person}]", kEnds,
     "a process began a further life"},
    {Kind::kKilled, "killed", "process",
     "{process} had been killed (kill -9) at tick {tick}[ {person}]", kEnds,
     "a process died with kill -9"},
    {Kind::kStopped, "stopped", "process",
     "{process} had been stopped (SIGSTOP) at tick {tick}[ {person}][ until tick {until}]", kEnds,
     "a process was stopped with SIGSTOP"},
    {Kind::kClosed, "closed", "process",
     "{process} had been asked to close (SIGTERM) at tick {tick}[ {person}]", kEnds,
     "a process was asked to end with SIGTERM"},
    {Kind::kEnded, "ended", "process", "{process} had ended by itself at tick {tick}[, {detail}]",
     kEnds, "a process ended without being asked"},
    {Kind::kFailed, "failed", "process", "{process} had met {subject} at tick {tick}", kGoesOn,
     "the client reported an error to its application"},
    {Kind::kSlow, "slow", "process",
     "{process} needed {detail}[ for {subject}] from tick {tick} on", kEnds,
     "a rule made an application need longer for a record"},
    {Kind::kBusy, "busy", "process",
     "{process} was busy with {subject}[ since tick {since}][, {setting} for each record]", kEnds,
     "an application was processing and did not poll"},
    {Kind::kDropped, "dropped", "process",
     "{detail} between {process} and {other} were lost[ from tick {since} to {until}][ ({by})]",
     kEnds, "a drop rule lost packets"},
    {Kind::kPartitioned, "partitioned", "process",
     "{process} and {other} were parted[ from tick {since}][ to {until}][ ({by})]", kEnds,
     "a partition rule lost packets"},
    {Kind::kDelayed, "delayed", "process",
     "packets between {process} and {other} were delayed[ from tick {since} on][ ({by})]", kEnds,
     "a delay rule held packets up"},
    {Kind::kRequestTimeout, "request.timeout", "process",
     "{process} took its coordinator for lost at tick {tick} and looked for it[, since a request "
     "of "
     "tick {since} had no answer][, {setting}]",
     kGoesOn,
     "a request had no answer for request.timeout.ms, and the client looked for its coordinator"},
    {Kind::kNotHeard, "not.heard", "process",
     "{process} was not silent, but what it sent was not what the coordinator waited for, and "
     "nothing tells why",
     kGoesOn, "a process sent something else than was waited for, and no cause is known"},
    {Kind::kSilent, "silent", "process", "{process} sent nothing, and nothing tells why", kGoesOn,
     "a process sent nothing, and no cause is known"},
    {Kind::kCalled, "called", "process", "its application called {subject} at tick {tick}[ ({by})]",
     kEnds, "the application called a method of its client"},
    {Kind::kPartitionsAdded, "partitions.added", "subject",
     "{subject} had got {detail} partitions at tick {tick}[, by {other}]", kEnds,
     "a topic was given more partitions"},
    {Kind::kTopicCreated, "topic.created", "subject",
     "{subject} had been created at tick {tick}[ by {other}]", kEnds, "a topic was created"},
    {Kind::kTopicDeleted, "topic.deleted", "subject",
     "{subject} had been deleted at tick {tick}[ by {other}]", kEnds, "a topic was deleted"},
    {Kind::kLoaded, "coordinator.loaded", "process",
     "the coordinator {process} had come back from its log at tick {tick}", kGoesOn,
     "a broker started and read its groups from its log"},
    {Kind::kMembershipEnded, "membership.ended", "process",
     "{process} had been removed from the group at tick {tick}", kGoesOn,
     "the member was no member any more"},
    {Kind::kGroupRemoved, "group.removed", "subject",
     "the group, and with it the id that {process} had been given to join with, had been removed "
     "at tick {tick}[: {detail}]",
     kEnds, "a group was removed while it was Empty, and the ids it had given with it"},
    {Kind::kGenerationPassed, "generation.passed", "process",
     "the group was in generation {subject} since tick {tick}, and {process} in {detail}", kGoesOn,
     "the group had formed a generation that the member did not know of"},
    {Kind::kRebalancing, "rebalancing", "subject", "the group was rebalancing since tick {tick}",
     kGoesOn, "the group was between two generations"},
    {Kind::kMemberIdRequired, "member.id.required", "process",
     "{process} had no member id yet, and has to join with the one that it is given (KIP-394)",
     kEnds, "the first JoinGroup of a dynamic member is always refused"},
    {Kind::kNoCommonAssignor, "no.common.assignor", "process",
     "{process} has only {subject}, which not all members of the group have[ ({detail})]", kEnds,
     "a member has no assignor that all others have"},
    {Kind::kLocalRefusal, "not.sent", "process",
     "{process} knew that it was no member any more, so it sent no request", kGoesOn,
     "the client refused by itself"},
    {Kind::kScripted, "scripted", "process", "{process} asked for it: {detail}", kEnds,
     "a probe or an administrator sent the request"},
    {Kind::kMeaning, "means", "subject", "{detail}", kEnds,
     "what Kafka means by the error; the capture shows no cause before it"},
    {Kind::kNothingCommitted, "nothing.committed", "subject",
     "nothing had ever been committed for {subject}", kEnds, "the group had no committed offset"},
    {Kind::kOffsetsExpired, "offsets.expired", "subject",
     "the committed offset of {subject} had expired at tick {tick}[, {setting}]", kGoesOn,
     "a committed offset was older than offsets.retention.minutes"},
    {Kind::kOffsetsDeleted, "offsets.deleted", "subject",
     "the committed offset of {subject} had been removed at tick {tick}[: {detail}]", kEnds,
     "a committed offset was deleted, or its group or topic was"},
    {Kind::kGroupEmpty, "group.empty", "subject", "the group was Empty since tick {tick}", kGoesOn,
     "the last member had gone"},
    {Kind::kOutOfRange, "out.of.range", "subject",
     "{process}'s position {detail} of {subject} was out of range", kGoesOn,
     "a position before the log's begin or behind its end"},
    {Kind::kLogDeleted, "log.deleted", "subject",
     "the log of {subject} began at {detail} since tick {tick}[, {setting}]", kEnds,
     "old records were removed"},
    {Kind::kPositionReset, "reset", "subject",
     "{process} began {subject} at {detail} at tick {tick}[ by {setting}]", kGoesOn,
     "auto.offset.reset decided where a consumer begins"},
    {Kind::kCommitBehind, "commit.behind", "subject",
     "the committed offset of {subject} was {detail} when {process} began there at tick {tick}",
     kGoesOn, "the next owner began before what was done already"},
    {Kind::kCommitAhead, "commit.ahead", "subject",
     "{process} had committed {subject}={detail} at tick {tick}, before it was done[ "
     "({setting})][, and {other} went on there]",
     kGoesOn, "an offset was committed before the records before it were done"},
    {Kind::kCommitRewound, "commit.rewound", "subject",
     "{process} had set the committed offset of {subject}[, which {other} owned,] back to {detail} "
     "at tick {tick}[, {setting}]",
     kEnds, "a commit that is lower than the one before it, which the coordinator does not refuse"},
    {Kind::kNotCommitted, "not.committed", "process",
     "{process} had done {subject} at tick {tick} and not committed it[: its OffsetCommit was "
     "refused with {detail} at tick {since}]",
     kGoesOn, "a record was done and its offset was not committed"},
    {Kind::kNotDone, "not.done", "process", "{process} never did {subject}", kGoesOn,
     "a record was committed and not done"},
    {Kind::kNoOutput, "no.output", "process", "{process} writes no invoices", kEnds,
     "a member of a group that writes has no app.output"},
    {Kind::kStillAtIt, "still.at.it", "process", "{process} was still at it, and did it, too",
     kGoesOn, "a zombie: it went on with what it had, and did not know yet that it was another's"},
    {Kind::kOffsetsReset, "offsets.reset", "process",
     "{process} had set the committed offset of {subject} to {detail} at tick {tick}", kEnds,
     "an administrator reset a committed offset"},
    {Kind::kProduceRetry, "produce.retry", "process",
     "{process} had sent {subject} again at tick {tick}[: {detail}][, {setting}]", kGoesOn,
     "a producer sent a batch again since it had no answer"},
});

std::string tick_text(const std::optional<Tick>& tick) {
  return tick ? std::to_string(tick->value()) : std::string();
}

std::string value_of(const Link& link, std::string_view hole) {
  if (hole == "process") return link.process;
  if (hole == "subject") return link.subject;
  if (hole == "other") return link.other;
  if (hole == "detail") return link.detail;
  if (hole == "by") return link.by;
  if (hole == "person") return link.by == "a person" ? "by a person" : "";
  if (hole == "tick") return std::to_string(link.when.tick.value());
  if (hole == "since") return tick_text(link.since);
  if (hole == "until") return tick_text(link.until);
  CHECK(hole == "setting", "hole {}", hole);
  return setting_text(link.setting);
}

// Text with its holes filled; `complete` says whether each of them had something.
struct Filled {
  std::string text;
  bool complete = true;
};

Filled fill(std::string_view form, const Link& link) {
  Filled filled;
  while (!form.empty()) {
    const std::size_t open = form.find('{');
    filled.text += form.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = form.find('}', open);
    const std::string value = value_of(link, form.substr(open + 1, close - open - 1));
    if (value.empty()) filled.complete = false;
    filled.text += value;
    form.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace

std::span<const KindInfo> all_kinds() { return kKinds; }

const KindInfo& info(Kind kind) {
  const KindInfo& found = kKinds.at(static_cast<std::size_t>(kind));
  CHECK(found.kind == kind, "kind {}", static_cast<int>(kind));
  return found;
}

std::string setting_text(const std::optional<Setting>& setting) {
  if (!setting) return "";
  std::string text = setting->property + "=" + setting->value;
  if (setting->by_default) text += " (the default)";
  if (setting->span) text += " is " + counted(setting->span->value(), "tick");
  return text;
}

std::string clause(const Link& link) {
  std::string_view form = info(link.kind).clause;
  std::string text;
  while (!form.empty()) {
    const std::size_t open = form.find('[');
    text += fill(form.substr(0, open), link).text;
    if (open == std::string_view::npos) break;
    const std::size_t close = form.find(']', open);
    const Filled part = fill(form.substr(open + 1, close - open - 1), link);
    if (part.complete) text += part.text;
    form.remove_prefix(close + 1);
  }
  return text;
}

std::string enumerated(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  if (words.size() > kNamed) {
    return fmt::format("{} to {} ({} in all)", words.front(), words.back(), words.size());
  }
  const std::vector<std::string> most(words.begin(), words.end() - 1);
  if (most.empty()) return words.front();
  return fmt::format("{} and {}", fmt::join(most, ", "), words.back());
}

std::string clauses(const Chain& chain) {
  std::vector<std::string> texts;
  for (const Link& link : chain) texts.push_back(clause(link));
  return fmt::format("{}", fmt::join(texts, "; "));
}

const std::string& subject_of(const Link& link) {
  return info(link.kind).subject == "process" ? link.process : link.subject;
}

bool is_explained(const Chain& chain) { return !chain.empty() && info(chain.back().kind).is_end; }

}  // namespace fencepost::lab::why
