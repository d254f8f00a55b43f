// A run at the chosen tick: each group as its coordinator and as its members see it, with their
// countdowns, and each partition with its log and offsets.

const PARTITIONS_SHOWN = 60;
const MEMBERS_SHOWN = 60;

function chip(run, process, tag = "b") {
  const one = element(tag, { class: "process" });
  const name = run.processes[process]?.name ?? "?";
  if (owners.has(name)) one.style.setProperty("--owner", `var(--owner-${owners.get(name)})`);
  one.textContent = name;
  return one;
}

// ---- members ----

function countdown(name, clock, absent) {
  const row = element("div", { class: "clock" }, element("span", { class: "clock-name", text: name }));
  if (!clock || clock.note) {
    row.append(element("span", { class: "clock-note", text: clock?.note ?? absent }));
    return row;
  }
  const left = Math.max(clock.left, 0);
  const share = clock.of ? clamp(left / clock.of, 0, 1) : 0;
  const meter = element("span", { class: "meter", role: "meter", "aria-label": name, "aria-valuemin": 0,
    "aria-valuemax": clock.of, "aria-valuenow": left, "aria-valuetext": `${left} of ${clock.of} ticks left` });
  const fill = element("i", {});
  fill.style.width = share * 100 + "%";
  if (share <= 0.34) fill.className = "low";
  meter.append(fill);
  row.append(meter, element("span", { class: "clock-left", text: `${left} / ${clock.of}` }));
  row.title = `counted from tick ${clock.since}`;
  return row;
}

function viewOf(who, text, title) {
  return element("div", { class: "view-line", title: title ?? "" }, element("span", { class: "view-who", text: who }),
    element("span", { text }));
}

// "preparing, generation 2", for the client's PREPARING_REBALANCE.
function clientWords(client) {
  const state = client.state.toLowerCase().replace("_rebalance", "");
  return state + (client.generation >= 0 ? ` · gen ${client.generation}` : "");
}

function memberCard(run, member) {
  const { membership, client } = member;
  const card = element("article", { class: "member", "data-testid": "member", "data-process": run.processes[member.process].name });
  const head = element("h4", {}, chip(run, member.process));
  if (!member.alive) head.append(element("span", { class: "badge dead", text: "not running" }));
  else if (member.stopped) head.append(element("span", { class: "badge stopped", text: "stopped" }));
  card.append(head);
  const held = run.groups.get(member.group)?.at(app.tick);
  card.append(viewOf("coordinator", membership
    ? `member · gen ${held?.generation ?? "?"}` : "not a member",
    membership ? `since tick ${membership.tick}` : ""));
  card.append(viewOf("itself", client ? clientWords(client) : "-",
    client ? `since tick ${client.tick}: ${client.reason}` : ""));
  if (member.alive && client && client.state === "STABLE" && !membership) {
    card.append(element("p", { class: "zombie", text: "a zombie: it does not know that it was removed" }));
  }
  card.append(countdown("session", member.session, "not a member"), countdown("poll", member.poll, "-"),
    countdown("rebalance", member.rebalance, "none under way"));
  return card;
}

function groupNow(run, name) {
  const state = run.groups.get(name)?.at(app.tick);
  const box = element("section", { class: "group", "data-testid": "group" });
  const head = element("h3", {}, element("span", {}, "group ", element("b", { text: name })));
  if (state) {
    head.append(element("span", { class: "badge state-" + state.state, text: state.state }),
      element("span", { class: "quiet", text: `generation ${state.generation}, since tick ${state.tick}: ${state.reason}` }));
  } else {
    head.append(element("span", { class: "quiet", text: "not there yet" }));
  }
  const members = element("div", { class: "members" });
  run.processes.forEach((one, process) => {
    const member = memberAt(run, process, app.tick);
    const wanted = member && member.group === name && members.childElementCount < MEMBERS_SHOWN;
    if (wanted) members.append(memberCard(run, member));
  });
  if (members.childElementCount === MEMBERS_SHOWN) {
    members.append(element("p", { class: "quiet", text: `only the first ${MEMBERS_SHOWN} are shown` }));
  }
  box.append(head, members);
  return box;
}

// ---- partitions ----

function ownerAt(spans, tick) {
  const all = spans.owners.filter(one => one.from <= tick && (one.to === null || tick < one.to));
  // A later owner stands before a zombie, which is still there.
  const valid = all.find(one => one.evicted === null || one.evicted > tick);
  return { owner: valid ?? null, zombies: all.filter(one => one !== valid) };
}

function offsetsOf(run, group, partition) {
  const log = run.logs[partition];
  const spans = spansIn(run, group, partition);
  const written = countUpTo(log.ticks, app.tick);
  const end = written ? log.cells[written - 1].offset + 1 : 0;
  const { owner, zombies } = ownerAt(spans, app.tick);
  const commit = run.commits.at(group + "\n" + partition, app.tick);
  const committed = commit && commit.offset >= 0 ? commit.offset : null;
  const position = owner ? run.positions.at(owner.process + "\n" + partition, app.tick) : undefined;
  const pause = spanAt(spans.pauses, app.tick);
  return { group, written, end, owner, zombies, committed, position, pause, lag: end - (committed ?? 0) };
}

function ownerCell(run, now) {
  const owner = element("td", { class: "owner" });
  if (now.owner) owner.append(chip(run, now.owner.process));
  else if (now.zombies.length === 0) owner.append(element("span", { class: "quiet", text: "-" }));
  for (const zombie of now.zombies) {
    const one = chip(run, zombie.process);
    one.classList.add("ghost");
    one.title = "believes that it owns it";
    owner.append(one);
  }
  if (now.pause) owner.append(element("span", { class: "badge paused", text: "paused" }));
  return owner;
}

function partitionRow(run, group, partition) {
  const now = offsetsOf(run, group, partition);
  const row = element("tr", { "data-testid": "partition", "data-partition": run.partitions[partition].name, "data-group": group });
  const number = value => element("td", { class: "number", text: value ?? "-" });
  row.append(element("th", { scope: "row", text: run.partitions[partition].name }), ownerCell(run, now),
    element("td", { class: "cells" }, sourceCells(run, partition, now)),
    number(now.end), number(now.committed), number(now.position), number(now.lag));
  if (now.lag > 0) row.lastChild.classList.add("lags");
  return row;
}

const COLUMNS = [["", ""], ["owner", "who reads it"], ["log", "each record is a cell"], ["end", "log end offset"],
  ["committed", "the next record to read, as committed"],
  ["position", "the next record that its owner's poll returns"], ["lag", "log end - committed"]];

function partitionTable(run, group) {
  const partitions = partitionsOf(run, group);
  const table = element("table", { class: "partitions" },
    element("caption", { class: "hidden", text: `Partitions and offsets of group ${group} at this tick` }));
  const head = element("tr", {});
  for (const [name, title] of COLUMNS) head.append(element("th", { scope: "col", text: name, title }));
  const body = element("tbody", {});
  for (const partition of partitions.slice(0, PARTITIONS_SHOWN)) body.append(partitionRow(run, group, partition));
  table.append(element("thead", {}, head), body);
  const box = element("div", { class: "scroll" }, table);
  if (partitions.length > PARTITIONS_SHOWN) {
    box.append(element("p", { class: "quiet", text: `and ${partitions.length - PARTITIONS_SHOWN} more partitions` }));
  }
  return box;
}

function drawNow() {
  for (const run of runs) {
    const parts = [];
    if (runs.length > 1) parts.push(element("h3", { class: "run-name", text: run.name }));
    if (app.tick > run.lastTick) parts.push(element("p", { class: "quiet", text: `this run ended at tick ${run.lastTick}` }));
    for (const name of run.groups.keys()) {
      parts.push(groupNow(run, name));
      if (partitionsOf(run, name).length) parts.push(partitionTable(run, name));
    }
    parts.push(outputLogs(run));
    byId("now-" + run.number).replaceChildren(...parts);
  }
  byId("now-title").textContent = `At tick ${app.tick}`;
  byId("now-seconds").textContent = seconds(runs[0], app.tick);
}

// For those who hear the page: what the tick brought.
function announce() {
  const run = activeRun();
  const { packets } = run;
  const from = countUpTo(packets.tick, app.tick - 1);
  const count = countUpTo(packets.tick, app.tick) - from;
  const states = [...run.groups].map(([name, series]) => {
    const state = series.at(app.tick);
    return state ? `group ${name} ${state.state}, generation ${state.generation}` : "";
  });
  byId("announcer").textContent = `tick ${app.tick}: ${count} packets; ${states.filter(Boolean).join("; ")}`;
}
