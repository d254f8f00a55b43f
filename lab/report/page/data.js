// A run as the page uses it: columns become typed arrays, numbers of texts become texts, and what
// changes in the course of a run becomes a series for each thing that changes.

const WHAT = { packet: 0, event: 1, life: 2, fired: 3, end: 4 };
const FATES = ["arrives", "dropped", "lost: partition", "refused: nobody there",
               "lost: connection closed"];
const KINDS = ["group", "heartbeats", "offsets", "records", "transactions", "cluster"];
const KIND_OF_API = {
  JoinGroup: 0, SyncGroup: 0, LeaveGroup: 0, FindCoordinator: 0, DescribeGroups: 0, ListGroups: 0,
  DeleteGroups: 0, ConsumerGroupHeartbeat: 0, ConsumerGroupDescribe: 0,
  Heartbeat: 1,
  OffsetCommit: 2, OffsetFetch: 2, OffsetDelete: 2, TxnOffsetCommit: 2,
  Produce: 3, Fetch: 3, ListOffsets: 3,
  InitProducerId: 4, AddPartitionsToTxn: 4, AddOffsetsToTxn: 4, EndTxn: 4, WriteTxnMarkers: 4,
  DescribeTransactions: 4, ListTransactions: 4, DescribeProducers: 4,
};

// Ticks are written as differences.
function ticksOf(differences) {
  const ticks = new Int32Array(differences.length);
  let tick = 0;
  for (let i = 0; i < differences.length; ++i) ticks[i] = tick += differences[i];
  return ticks;
}

// How many of a sorted array are at most `value`.
function countUpTo(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

// The values of one thing, each from its tick on.
class Series {
  constructor() { this.ticks = []; this.values = []; }
  add(tick, value) { this.ticks.push(tick); this.values.push(value); }
  at(tick) { return this.values[countUpTo(this.ticks, tick) - 1]; }
}

class Keyed {
  constructor() { this.series = new Map(); }
  add(key, tick, value) {
    if (!this.series.has(key)) this.series.set(key, new Series());
    this.series.get(key).add(tick, value);
  }
  at(key, tick) { return this.series.get(key)?.at(tick); }
  get(key) { return this.series.get(key); }
}

// Answers that each member gets on its way into a group, or as the news of a rebalance.
function isProtocolError(api, errors) {
  return (api === "JoinGroup" && errors === "MEMBER_ID_REQUIRED") ||
         (api === "Heartbeat" && errors === "REBALANCE_IN_PROGRESS");
}

function readEntries(raw, strings) {
  const from = raw.entries;
  const cause = Int32Array.from(from.cause, (distance, i) => (distance ? i - distance : -1));
  return {
    count: from.what.length, what: Uint8Array.from(from.what), tick: ticksOf(from.tick),
    process: Int32Array.from(from.process), cause, packet: new Int32Array(from.what.length),
    text: i => strings[from.text[i]],
    timer: i => strings[from.timer[i]],
    armed: i => from.armed[i],
  };
}

function readPackets(raw, entries, strings) {
  const from = raw.packets;
  const count = from.to.length;
  const packets = {
    count, entry: new Int32Array(count), tick: new Int32Array(count), from: new Int32Array(count),
    to: Int32Array.from(from.to), kind: new Uint8Array(count), error: new Uint8Array(count),
    slot: new Uint8Array(count), arrival: new Int32Array(count), received: new Int32Array(count),
    api: i => raw.apis[from.api[i] >> 1] ?? "?",
    apiNumber: i => from.api[i] >> 1,
    response: i => (from.api[i] & 1) === 1,
    info: i => strings[from.info[i]],
    payload: i => strings[from.payload[i]],
    length: i => from.length[i],
    fate: i => from.fate[i],
    rule: i => from.rule[i],
    peer: i => (from.peer[i] ? i + from.peer[i] : -1),
    errors: i => strings[from.errors[i]],
    correlation: i => from.correlation[i],
    client: i => strings[from.client[i]],
  };
  const kinds = raw.apis.map(name => KIND_OF_API[name] ?? 5);
  const last = new Map();  // by sender: its tick, and how many packets it has sent in it
  let i = 0;
  for (let entry = 0; entry < entries.count; ++entry) {
    if (entries.what[entry] !== WHAT.packet) { entries.packet[entry] = -1; continue; }
    entries.packet[entry] = i;
    packets.entry[i] = entry;
    const tick = packets.tick[i] = entries.tick[entry];
    const sender = packets.from[i] = entries.process[entry];
    packets.kind[i] = kinds[from.api[i] >> 1];
    const errors = strings[from.errors[i]];
    if (errors) packets.error[i] = isProtocolError(packets.api(i), errors) ? 1 : 2;
    packets.arrival[i] = from.arrival[i] < 0 ? -1 : tick + from.arrival[i];
    packets.received[i] = from.received[i] < 0 ? -1 : tick + from.received[i];
    const before = last.get(sender);
    packets.slot[i] = before && before.tick === tick ? Math.min(++before.count, 5) : 0;
    if (packets.slot[i] === 0) last.set(sender, { tick, count: 0 });
    ++i;
  }
  markQuiet(packets);
  return packets;
}

// Heartbeats, and fetches that bring nothing, are what goes on all the time.
function markQuiet(packets) {
  packets.quiet = new Uint8Array(packets.count);
  const nothing = new Map();  // by text, each of which is looked at once
  for (let i = 0; i < packets.count; ++i) {
    if (packets.error[i] || packets.arrival[i] < 0) continue;
    if (packets.kind[i] === 1) packets.quiet[i] = 1;
    if (packets.kind[i] !== 3 || !packets.response(i) || packets.api(i) !== "Fetch") continue;
    const info = packets.info(i);
    if (!nothing.has(info)) nothing.set(info, info.endsWith("records=none"));
    if (!nothing.get(info)) continue;
    packets.quiet[i] = 1;
    const request = packets.peer(i);
    if (request >= 0 && packets.arrival[request] >= 0) packets.quiet[request] = 1;
  }
}

function rowsOf(table, strings, texts) {
  const names = Object.keys(table);
  const ticks = ticksOf(table.tick);
  return table.tick.map((_, i) => {
    const row = {};
    for (const name of names) row[name] = texts.includes(name) ? strings[table[name][i]] : table[name][i];
    row.tick = ticks[i];
    return row;
  });
}

function readLogs(run, raw, strings) {
  run.appends = rowsOf(raw.appends, strings, ["name"]);
  run.processed = rowsOf(raw.processed, strings, []);
  run.works = rowsOf(raw.works, strings, ["record"]);
  run.workTicks = Int32Array.from(run.works, one => one.tick);
  run.logs = run.partitions.map(() => ({ ticks: [], cells: [], done: [] }));
  const seen = new Map();  // how often a name has been written, by topic
  for (const one of run.appends) {
    const log = run.logs[one.partition];
    if (!log) continue;
    const key = run.partitions[one.partition].topic + "\n" + one.name;
    one.copy = (seen.get(key) ?? 0) + 1;
    seen.set(key, one.copy);
    log.ticks.push(one.tick);
    log.cells.push(one);
  }
  for (const one of run.processed) run.logs[one.partition]?.done.push(one);
  run.commits = new Keyed();
  for (const one of rowsOf(raw.commits, strings, ["group"])) {
    run.commits.add(one.group + "\n" + one.partition, one.tick, one);
  }
  run.positions = new Keyed();
  for (const one of rowsOf(raw.positions, strings, [])) {
    const key = one.process + "\n" + one.partition;
    const series = run.positions.get(key);
    const before = series ? series.values[series.values.length - 1] : 0;
    run.positions.add(key, one.tick, one.advance ? before + one.advance : one.offset);
  }
}

function readGroups(run, raw, strings) {
  run.groups = new Map();  // name to states, as the coordinator has them
  for (const one of rowsOf(raw.groups, strings, ["group", "state", "reason", "members"])) {
    if (!run.groups.has(one.group)) run.groups.set(one.group, new Series());
    run.groups.get(one.group).add(one.tick, one);
  }
  run.clients = new Keyed();
  for (const one of rowsOf(raw.clients, strings, ["group", "state", "reason"])) {
    run.clients.add(one.process, one.tick, one);
  }
  run.memberships = rowsOf(raw.members, strings, ["group", "id", "reason"]);
  run.joins = rowsOf(raw.joins, strings, ["group"]);
  run.polls = new Keyed();
  for (const one of rowsOf(raw.polls, strings, [])) {
    run.polls.add(one.process, one.tick, one);
  }
}

function readRun(raw, number) {
  const strings = raw.strings;
  const run = {
    number, raw, name: raw.name, about: raw.about, seed: raw.seed, tickMs: raw.tick_ms,
    lastTick: raw.last_tick, processes: raw.processes, partitions: raw.partitions,
  };
  run.entries = readEntries(raw, strings);
  run.packets = readPackets(raw, run.entries, strings);
  run.lives = raw.lives.map(([process, incarnation, from, to, end]) =>
    ({ process, incarnation, from, to, end }));
  run.stops = raw.stops.map(([process, from, to]) => ({ process, from, to }));
  run.owners = raw.owners.map(([group, partition, process, from, to, end, generation, evicted]) =>
    ({ group: strings[group], partition, process, from, to, end, generation, evicted }));
  run.pauses = raw.pauses.map(([rebalance, partition, from, to, why, before, after]) =>
    ({ rebalance, partition, from, to, why, before, after }));
  readLogs(run, raw, strings);
  readGroups(run, raw, strings);
  return run;
}
