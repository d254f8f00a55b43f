// A member's three countdowns at a tick: its session, which the coordinator counts from when it
// heard of it last; max.poll.interval.ms, which the client counts from its last poll; and the time
// that a rebalance may take.

const REFUSED = /UNKNOWN_MEMBER_ID|ILLEGAL_GENERATION|FENCED_INSTANCE_ID|NOT_COORDINATOR/;

// When a coordinator armed the session timer of a process, and when it held an answer back.
function sessionsOf(run) {
  if (run.sessions) return run.sessions;
  run.sessions = new Map(run.processes.map((_, i) => [i, { heard: [], parked: [] }]));
  const packets = run.packets;
  for (let i = 0; i < packets.count; ++i) {
    const api = packets.api(i);
    const answered = packets.response(i);
    if (api === "Heartbeat" || api === "OffsetCommit") {
      if (answered || packets.received[i] < 0) continue;
      const peer = packets.peer(i);
      if (peer >= 0 && REFUSED.test(packets.errors(peer))) continue;
      run.sessions.get(packets.from[i]).heard.push(packets.received[i]);
    } else if ((api === "JoinGroup" || api === "SyncGroup") && answered) {
      const session = run.sessions.get(packets.to[i]);
      if (packets.error[i] !== 2) session.heard.push(packets.tick[i]);
      const request = packets.peer(i);
      if (request >= 0 && packets.received[request] >= 0) {
        session.parked.push({ from: packets.received[request], to: packets.tick[i], api });
      }
    }
  }
  for (const session of run.sessions.values()) session.heard.sort((a, b) => a - b);
  return run.sessions;
}

function lastUpTo(sorted, tick) {
  const count = countUpTo(sorted, tick);
  return count ? sorted[count - 1] : undefined;
}

function joinOf(run, process, tick) {
  let found;
  for (const join of run.joins) {
    if (join.tick > tick) break;
    if (join.process === process) found = join;
  }
  return found;
}

function membershipOf(run, process, tick) {
  let found;
  for (const one of run.memberships) {
    if (one.tick > tick) break;
    if (one.process === process && (one.until < 0 || one.until > tick)) found = one;
  }
  return found;
}

function isAlive(run, process, tick) {
  return run.lives.some(life => life.process === process && life.from <= tick &&
    (life.to === null || tick < life.to || (life.end === "exited" && tick === life.to)));
}

function isStopped(run, process, tick) {
  return run.stops.some(stop => stop.process === process && stop.from <= tick &&
    (stop.to === null || tick < stop.to));
}

function sessionAt(run, process, tick, join) {
  const session = sessionsOf(run).get(process);
  const parked = session.parked.find(one => one.from <= tick && tick < one.to);
  if (parked) return { note: `not counted: ${parked.api} waits for the others` };
  const heard = lastUpTo(session.heard, tick);
  if (heard === undefined) return { note: "not yet heard" };
  return { left: heard + join.session - tick, of: join.session, since: heard };
}

function pollAt(run, process, tick, join) {
  const last = run.polls.at(process, tick);
  if (!last) return { note: "has not polled yet" };
  if (!last.returned) return { note: "in poll: not counted" };
  return { left: last.tick + join.poll - tick, of: join.poll, since: last.tick };
}

// The longest timeout of those who are members then.
function rebalanceAt(run, group, tick) {
  const series = run.groups.get(group);
  const count = series ? countUpTo(series.ticks, tick) : 0;
  if (count === 0) return null;
  const now = series.values[count - 1];
  if (now.state !== "PreparingRebalance" && now.state !== "CompletingRebalance") return null;
  const first = count > 1 ? series.values[count - 2].state === "Empty" : true;
  if (now.state === "PreparingRebalance" && first) {
    return { note: "waits for group.initial.rebalance.delay.ms" };
  }
  let longest = 0;
  for (const member of run.memberships) {
    const there = member.tick <= tick && (member.until < 0 || member.until > tick);
    if (member.group !== group || !there) continue;
    longest = Math.max(longest, joinOf(run, member.process, tick)?.poll ?? 0);
  }
  if (longest === 0) return null;
  return { left: now.tick + longest - tick, of: longest, since: now.tick };
}

// Nothing for a process that has not asked to join a group.
function memberAt(run, process, tick) {
  const join = joinOf(run, process, tick);
  if (!join) return null;
  const alive = isAlive(run, process, tick);
  const membership = membershipOf(run, process, tick);
  const client = alive ? run.clients.at(process, tick) : undefined;
  return {
    process, group: join.group, alive, membership, client,
    stopped: isStopped(run, process, tick),
    session: membership ? sessionAt(run, process, tick, join) : null,
    poll: alive && client ? pollAt(run, process, tick, join) : null,
    rebalance: membership ? rebalanceAt(run, join.group, tick) : null,
  };
}
