#include "common/properties_registry.h"

#include <algorithm>
#include <array>

namespace fencepost {
namespace {

constexpr PropertyType kString = PropertyType::kString;
constexpr PropertyType kInt = PropertyType::kInt;
constexpr PropertyType kLong = PropertyType::kLong;
constexpr PropertyType kBool = PropertyType::kBool;
constexpr PropertyType kList = PropertyType::kList;
constexpr PropertyType kChoice = PropertyType::kChoice;

constexpr std::string_view kBroker = "broker";
constexpr std::string_view kConsumer = "consumer";
constexpr std::string_view kProducer = "producer";
// A consumer process has a producer too: the one for its invoices.
constexpr std::string_view kClients = "consumer,producer";
constexpr std::string_view kAdmin = "admin";
constexpr std::string_view kAnyClient = "consumer,producer,probe,admin";

// Defaults are those of Kafka's Java clients and broker, unless the meaning says "Deviation".
constexpr std::array kProperties = std::to_array<PropertyInfo>({
    {"acks", kChoice, "all", kClients, "all,-1,0,1", 0,
     "who must have a batch before it is acknowledged; -1 is all"},
    {"add.partitions.to.txn.retry.backoff.max.ms", kInt, "100", kBroker, "", 0,
     "ms for which that question is repeated, at most"},
    {"add.partitions.to.txn.retry.backoff.ms", kInt, "20", kBroker, "", 0,
     "ms between attempts of that question"},
    {"allow.auto.create.topics", kBool, "true", kConsumer, "", 0,
     "whether a subscription creates a topic that does not exist, if the broker allows it too"},
    {"app.admin", kChoice, "", kAdmin,
     "describe,list,delete,delete-offsets,reset-offsets,remove-members,create-topics,"
     "create-partitions,delete-topics",
     0, "what the administrator does, once"},
    {"app.application", kChoice, "", kConsumer, "billing,reader", 0,
     "billing reads, processes, writes and commits; reader only reports what it reads. Without"
     " it: billing with a group.id, else reader"},
    {"app.assign", kList, "", kConsumer, "", 0,
     "partitions to read without a group, such as invoices-0; a bare topic means all its "
     "partitions"},
    {"app.batch.records", kInt, "1", kProducer, "", 1,
     "records for each partition in a round, sent as one batch"},
    {"app.cluster", kList, "", kBroker, "", 0,
     "all brokers, in the order of their node ids from 1; only this one if empty"},
    {"app.commit", kChoice, "after", kConsumer, "after,before,each,none", 0,
     "when the application commits: after the batch, before it, after each record, or never by"
     " itself"},
    {"app.commit.interval.ms", kLong, "0", kConsumer, "", 0,
     "with app.commit=after: not each batch, but whatever is processed once so many ms have passed"
     " since the last commit; 0 for each batch"},
    {"app.commit.on.revoke", kBool, "false", kConsumer, "", 0,
     "whether onPartitionsRevoked commits what is processed"},
    {"app.commit.records", kInt, "0", kConsumer, "", 0,
     "with app.commit=after: not each batch, but every so many records; 0 for each batch"},
    {"app.commit.when.left", kChoice, "local", kConsumer, "local,send", 0,
     "a commit of a member that has left fails locally, as in Kafka's client, or is sent all "
     "the same"},
    {"app.cooperative-sticky", kChoice, "sticky", kConsumer, "sticky,simple", 0,
     "how cooperative-sticky assigns: by Kafka's sticky algorithm, or by a simple rule that is"
     " easy to follow"},
    {"app.counts", kList, "", kAdmin, "", 0,
     "create-topics, create-partitions: how many partitions each topic shall have, orders:6"},
    {"app.describe", kChoice, "offsets", kAdmin, "state,offsets,log-start", 0,
     "describe: how much to look up, only the group, its offsets too, or also where logs begin"},
    {"app.execute", kBool, "true", kAdmin, "", 0,
     "reset-offsets: false only looks up what a reset would come to"},
    {"app.groups", kList, "", kAdmin, "", 0, "the groups meant; all if empty"},
    {"app.heartbeat", kChoice, "background", kConsumer, "background,inline", 0,
     "inline: heartbeats are sent only within poll, as by clients before KIP-62; for these"
     " session.timeout.ms stands for max.poll.interval.ms, too"},
    {"app.instances", kList, "", kAdmin, "", 0,
     "remove-members: the group.instance.ids of the members; everybody if empty"},
    {"app.interval.ms", kLong, "1000", kProducer, "", 0, "ms between two rounds"},
    {"app.keep.stored.offsets", kBool, "false", kConsumer, "", 0,
     "whether offsets of records processed before a partition was revoked are kept and committed"
     " later all the same; a good client drops them"},
    {"app.offsets.retention", kChoice, "kip-211", kBroker, "kip-211,commit", 0,
     "kip-211: committed offsets age when their group is Empty or does not subscribe to the topic; "
     "commit: as before Kafka 2.1, from each commit, also with members"},
    {"app.on.commit.failed", kChoice, "rejoin", kConsumer, "rejoin,exit,retry", 0,
     "what follows a commit that failed because of a rebalance: go on polling, end with exit code"
     " 1, or commit again after the next poll what is still owned"},
    {"app.on.illegal.generation", kChoice, "drop", kConsumer, "drop,keep", 0,
     "drop: as in Kafka's client, ILLEGAL_GENERATION loses all partitions; keep: they are read on"
     " until the member has joined again"},
    {"app.output", kString, "", kConsumer, "", 0,
     "the topic for invoices; empty: records are processed and nothing is written"},
    {"app.poll.timeout.ms", kLong, "1000", kConsumer, "", 0, "ms that one poll waits for records"},
    {"app.process.ms", kLong, "1000", kConsumer, "", 0,
     "ms that the application takes for one record"},
    {"app.producer.client.id", kString, "", kConsumer, "", 0,
     "client.id of the invoice producer; the consumer's own if empty"},
    {"app.producer.request.timeout.ms", kInt, "30000", kConsumer, "", 0,
     "request.timeout.ms of the invoice producer"},
    {"app.producer.retry.backoff.max.ms", kLong, "1000", kConsumer, "", 0,
     "retry.backoff.max.ms of the invoice producer"},
    {"app.producer.retry.backoff.ms", kLong, "100", kConsumer, "", 0,
     "retry.backoff.ms of the invoice producer"},
    {"app.records", kList, "", kProducer, "", 0,
     "how many records to write to each partition: orders-0:10,orders-1:10; a bare topic:10 "
     "means all its partitions"},
    {"app.requests", kString, "", "probe", "", 0,
     "the script of a probe, a list of steps in JSON; the scenario language makes it of requests"},
    {"app.reset.offsets", kList, "", kAdmin, "", 0,
     "reset-offsets to given ones: orders-0=5,orders-1=7"},
    {"app.reset.to", kChoice, "current", kAdmin,
     "earliest,latest,current,offset,shift-by,time,duration,given", 0,
     "reset-offsets: where to; app.reset.value has the number, app.reset.offsets what is given"},
    {"app.reset.value", kLong, "0", kAdmin, "", -4611686018427387904,
     "reset-offsets: the offset, the shift, the time or the duration in virtual ms"},
    {"app.restart", kChoice, "never", kConsumer, "never,on-failure,always", 0,
     "whether a supervisor starts the process again in the tick after it has ended by itself; in"
     " scenarios only"},
    {"app.schedule", kString, "", kProducer, "", 0,
     "what to write at which tick, in place of app.records: "
     "5:orders-0=3,orders-1=3;20:orders-2=3"},
    {"app.short.names", kList, "", kProducer, "", 0,
     "the letters that name records: orders=o,payments=p; the topic's first letter by default"},
    {"app.start.ms", kLong, "0", kProducer, "", 0,
     "ms from the start of the process to its first record"},
    {"app.states", kList, "", kAdmin, "", 0, "list: only groups in these states"},
    {"app.subscribe", kList, "", kConsumer, "", 0,
     "topics to subscribe to, as a member of group.id"},
    {"app.subscribe.pattern", kString, "", kConsumer, "", 0,
     "a regular expression: subscribes to every topic whose whole name matches, as metadata shows"
     " them"},
    {"app.targets", kList, "", kAdmin, "", 0,
     "the topics (orders) or partitions (orders-2) that the command is about"},
    {"app.topics", kList, "", kBroker, "", 0,
     "topics with their partitions, created at the start if they are absent: "
     "orders:3,payments:3"},
    {"app.worker", kBool, "false", kConsumer, "", 0,
     "whether records are handed to a worker: their partitions are paused, poll goes on, and they"
     " are resumed and committed when the worker is done"},
    {"auto.commit.interval.ms", kInt, "5000", kConsumer, "", 0, "ms between automatic commits"},
    {"auto.create.topics.enable", kBool, "true", kBroker, "", 0,
     "whether asking for an unknown topic creates it"},
    {"auto.offset.reset", kChoice, "latest", kConsumer, "earliest,latest,none", 0,
     "where to start without a committed offset"},
    {"batch.size", kInt, "16384", kClients, "", 0, "bytes of one batch"},
    {"bootstrap.servers", kList, "", kAnyClient, "", 0,
     "where to find the cluster: host:port of one or more brokers; the host is the process's "
     "name, as in B1:19092"},
    {"buffer.memory", kLong, "33554432", kClients, "", 0,
     "bytes of all records that wait to be sent"},
    {"client.id", kString, "", kAnyClient, "", 0,
     "the client's name in requests and member ids; the process's name if empty"},
    {"default.api.timeout.ms", kInt, "60000", "consumer,admin", "", 0,
     "ms until a blocking call (commitSync, position, ...) gives up"},
    {"delivery.timeout.ms", kInt, "120000", kClients, "", 0,
     "ms in all from send until a record is given up; at least linger.ms + request.timeout.ms"},
    {"enable.auto.commit", kBool, "true", kConsumer, "", 0,
     "whether poll and close commit the positions; false without a group.id"},
    {"enable.idempotence", kBool, "false", kClients, "", 0,
     "whether a retry cannot double a record. Deviation: Kafka's default is true; here only "
     "false works yet"},
    {"exclude.internal.topics", kBool, "true", kConsumer, "", 0,
     "whether a pattern leaves out topics such as __consumer_offsets"},
    {"fetch.max.bytes", kInt, "52428800", kConsumer, "", 0,
     "bytes of one answer to a fetch, at most"},
    {"fetch.max.wait.ms", kInt, "500", kConsumer, "", 0,
     "ms for which the broker keeps a fetch that finds fewer than fetch.min.bytes"},
    {"fetch.min.bytes", kInt, "1", kConsumer, "", 0,
     "bytes that make the broker answer a fetch at once"},
    {"group.consumer.assignors", kList, "uniform,range", kBroker, "uniform,range", 0,
     "the broker's assignors; the first is the default"},
    {"group.consumer.heartbeat.interval.ms", kInt, "5000", kBroker, "", 1,
     "heartbeat interval of members with group.protocol=consumer"},
    {"group.consumer.max.size", kInt, "2147483647", kBroker, "", 1,
     "how many members a group with group.protocol=consumer may have"},
    {"group.consumer.migration.policy", kChoice, "bidirectional", kBroker,
     "bidirectional,upgrade,downgrade,disabled", 0,
     "which way a group may change its protocol while it has members"},
    {"group.consumer.session.timeout.ms", kInt, "45000", kBroker, "", 1,
     "session timeout of members with group.protocol=consumer"},
    {"group.id", kString, "", kConsumer, "", 0, "the consumer group; needed for app.subscribe"},
    {"group.initial.rebalance.delay.ms", kInt, "3000", kBroker, "", 0,
     "ms to wait for more members when a group leaves Empty (KIP-134)"},
    {"group.instance.id", kString, "", kConsumer, "", 0,
     "makes the member static: it keeps its partitions over a restart within the session "
     "timeout (KIP-345)"},
    {"group.max.session.timeout.ms", kInt, "1800000", kBroker, "", 0,
     "the largest session.timeout.ms that a member may ask for"},
    {"group.max.size", kInt, "2147483647", kBroker, "", 1,
     "how many members a group may have (KIP-389)"},
    {"group.min.session.timeout.ms", kInt, "6000", kBroker, "", 0,
     "the smallest session.timeout.ms that a member may ask for"},
    {"group.protocol", kChoice, "classic", kConsumer, "classic,consumer", 0,
     "the group protocol; consumer (KIP-848) is not here yet"},
    {"group.remote.assignor", kString, "", kConsumer, "", 0,
     "the broker's assignor; with group.protocol=consumer only"},
    {"heartbeat.interval.ms", kInt, "3000", kConsumer, "", 1,
     "ms between heartbeats; less than session.timeout.ms"},
    {"internal.leave.group.on.close", kBool, "true", kConsumer, "", 0,
     "whether close sends LeaveGroup; Kafka's internal switch, false in some frameworks"},
    {"isolation.level", kChoice, "read_uncommitted", kConsumer, "read_uncommitted,read_committed",
     0, "whether records of open and aborted transactions are seen"},
    {"linger.ms", kLong, "0", kClients, "", 0, "ms for which a batch waits to be filled"},
    {"log.retention.bytes", kLong, "-1", kBroker, "", -1,
     "bytes of a partition that are kept when older records are removed; -1 for no limit"},
    {"log.retention.check.interval.ms", kLong, "300000", kBroker, "", 1,
     "ms between sweeps for records that are too old or too many"},
    {"log.retention.ms", kLong, "604800000", kBroker, "", -1,
     "ms until old records are removed; -1 for never"},
    {"max.block.ms", kLong, "60000", kClients, "", 0,
     "ms until send or a call about a transaction gives up waiting"},
    {"max.in.flight.requests.per.connection", kInt, "5", kClients, "", 1,
     "how many produce requests wait for an answer of one broker, at most"},
    {"max.partition.fetch.bytes", kInt, "1048576", kConsumer, "", 0,
     "bytes of one partition in an answer to a fetch, at most"},
    {"max.poll.interval.ms", kInt, "300000", kConsumer, "", 1,
     "ms between two polls until the member leaves by itself; also its rebalance timeout"},
    {"max.poll.records", kInt, "500", kConsumer, "", 1, "how many records a poll returns at most"},
    {"max.request.size", kInt, "1048576", kClients, "", 0, "bytes of one produce request, at most"},
    {"message.max.bytes", kInt, "1048588", kBroker, "", 0, "bytes of one batch, at most"},
    {"metadata.max.age.ms", kLong, "300000", kClients, "", 0,
     "ms until topics and leaders are looked up again: how soon new partitions are seen"},
    {"num.partitions", kInt, "1", kBroker, "", 1,
     "partitions of a topic that is created without a number"},
    {"offset.metadata.max.bytes", kInt, "4096", kBroker, "", 0,
     "bytes of the metadata of a committed offset, at most"},
    {"offsets.commit.timeout.ms", kInt, "5000", kBroker, "", 1,
     "ms until a commit that could not be stored is refused"},
    {"offsets.retention.check.interval.ms", kLong, "600000", kBroker, "", 1,
     "ms between sweeps for offsets that have expired"},
    {"offsets.retention.minutes", kInt, "10080", kBroker, "", 1,
     "minutes for which the offsets of a group without members are kept"},
    {"offsets.topic.num.partitions", kInt, "50", kBroker, "", 1,
     "partitions of __consumer_offsets"},
    {"partition.assignment.strategy", kList, "range,cooperative-sticky", kConsumer,
     "range,roundrobin,sticky,cooperative-sticky", 0,
     "assignors in order of preference, by short name or by Kafka's class name"},
    {"producer.id.expiration.check.interval.ms", kInt, "600000", kBroker, "", 1,
     "ms between sweeps for producer ids that have expired"},
    {"producer.id.expiration.ms", kInt, "86400000", kBroker, "", 1,
     "ms until a partition forgets an idle producer id"},
    {"request.timeout.ms", kInt, "30000", kAnyClient, "", 0,
     "ms until a request without an answer is given up"},
    {"retries", kInt, "2147483647", kClients, "", 0, "how often a batch is sent again"},
    {"retry.backoff.max.ms", kLong, "1000", "consumer,producer,admin", "", 0,
     "ms to which the backoff grows, doubling each time"},
    {"retry.backoff.ms", kLong, "100", "consumer,producer,admin", "", 0,
     "ms before the first repetition of a request that failed"},
    {"session.timeout.ms", kInt, "45000", kConsumer, "", 1,
     "ms without a heartbeat until the coordinator evicts the member; within the broker's "
     "group.min and group.max.session.timeout.ms"},
    {"transaction.abort.timed.out.transaction.cleanup.interval.ms", kInt, "10000", kBroker, "", 1,
     "ms between sweeps for transactions that have timed out"},
    {"transaction.max.timeout.ms", kInt, "900000", kBroker, "", 1,
     "the largest transaction.timeout.ms that a producer may ask for"},
    {"transaction.partition.verification.enable", kBool, "true", kBroker, "", 0,
     "whether a partition leader asks the coordinator if a transaction is open (KIP-890)"},
    {"transaction.remove.expired.transaction.cleanup.interval.ms", kInt, "3600000", kBroker, "", 1,
     "ms between sweeps for transactional ids that have expired"},
    {"transaction.state.log.num.partitions", kInt, "50", kBroker, "", 1,
     "partitions of __transaction_state"},
    {"transaction.timeout.ms", kInt, "60000", kClients, "", 1,
     "ms until the coordinator aborts an open transaction"},
    {"transactional.id", kString, "", kClients, "", 0,
     "makes the producer transactional; not here yet"},
    {"transactional.id.expiration.ms", kInt, "604800000", kBroker, "", 1,
     "ms until an unused transactional.id is forgotten"},
});

static_assert(std::ranges::is_sorted(kProperties, {}, &PropertyInfo::name));

// Exact names, sorted. Transport, security, serialization, metrics, disks and replication are what
// a run does not have; racks and follower fetching neither.
constexpr std::array kMeaningless = std::to_array<std::string_view>({
    "advertised.listeners",
    "auto.include.jmx.reporter",
    "auto.leader.rebalance.enable",
    "background.threads",
    "broker.id",
    "broker.rack",
    "check.crcs",
    "client.dns.lookup",
    "client.rack",
    "compression.type",
    "config.providers",
    "connections.max.idle.ms",
    "default.replication.factor",
    "enable.metrics.push",
    "inter.broker.listener.name",
    "inter.broker.protocol.version",
    "interceptor.classes",
    "key.deserializer",
    "key.serializer",
    "listener.security.protocol.map",
    "listeners",
    "metadata.max.idle.ms",
    "metadata.recovery.rebootstrap.trigger.ms",
    "metadata.recovery.strategy",
    "min.insync.replicas",
    "node.id",
    "offsets.load.buffer.size",
    "offsets.topic.compression.codec",
    "offsets.topic.replication.factor",
    "offsets.topic.segment.bytes",
    "partitioner.adaptive.partitioning.enable",
    "partitioner.availability.timeout.ms",
    "partitioner.class",
    "partitioner.ignore.keys",
    "process.roles",
    "receive.buffer.bytes",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "send.buffer.bytes",
    "socket.connection.setup.timeout.max.ms",
    "socket.connection.setup.timeout.ms",
    "transaction.state.log.load.buffer.size",
    "transaction.state.log.min.isr",
    "transaction.state.log.replication.factor",
    "transaction.state.log.segment.bytes",
    "transaction.two.phase.commit.enable",
    "unclean.leader.election.enable",
    "value.deserializer",
    "value.serializer",
});
static_assert(std::ranges::is_sorted(kMeaningless));

// Whole families of such names.
constexpr std::array kMeaninglessPrefixes = std::to_array<std::string_view>({
    "compression.",
    "config.providers.",
    "controller.",
    "controlled.",
    "group.coordinator.",
    "group.share.",
    "listener.name.",
    "log.",
    "metadata.log.",
    "metric.",
    "metrics.",
    "num.network.",
    "num.io.",
    "num.recovery.",
    "num.replica.",
    "quota.",
    "remote.log.",
    "replica.",
    "sasl.",
    "schema.registry.",
    "security.",
    "share.",
    "socket.",
    "ssl.",
    "telemetry.",
    "zookeeper.",
});

bool has_role(const PropertyInfo& row, Role role) {
  std::string_view rest = row.roles;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (rest.substr(0, comma) == to_string(role)) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::span<const PropertyInfo> all_properties() { return kProperties; }

const PropertyInfo* find_property(std::string_view name, Role role) {
  for (const PropertyInfo& row :
       std::ranges::equal_range(kProperties, name, {}, &PropertyInfo::name)) {
    if (has_role(row, role)) return &row;
  }
  return nullptr;
}

bool is_meaningless_property(std::string_view name) {
  if (std::ranges::binary_search(kProperties, name, {}, &PropertyInfo::name)) return false;
  return std::ranges::binary_search(kMeaningless, name) ||
         std::ranges::any_of(kMeaninglessPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<std::string_view> property_names(Role role) {
  std::vector<std::string_view> names;
  for (const PropertyInfo& row : kProperties) {
    if (has_role(row, role)) names.push_back(row.name);
  }
  names.insert(names.end(), kMeaningless.begin(), kMeaningless.end());
  std::ranges::sort(names);
  return names;
}

}  // namespace fencepost
