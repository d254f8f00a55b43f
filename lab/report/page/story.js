// Why it happened: each rebalance with what it cost, then the run as a story, then errors.

const STORY_MAX = 1000;

function tickButton(tick) {
  return element("button", { type: "button", class: "tick-link", text: tick, "aria-label": `go to tick ${tick}`,
    on: () => { setTick(tick); byId("pictures").scrollIntoView({ block: "nearest" }); } });
}

const mostPaused = Math.max(1, ...runs.flatMap(run => run.raw.rebalances.map(one => one.paused)));

function pauseMeter(run, one, at) {
  const pauses = run.pauses.filter(pause => pause.rebalance === at);
  const box = element("div", { class: "pause-meter" });
  const bar = element("div", { class: "bar", role: "img",
    "aria-label": `paused ${one.paused} partition ticks over ${pauses.length} partitions` });
  for (const pause of pauses) {
    const ticks = (pause.to ?? run.lastTick) - pause.from;
    const part = element("i", { title: `${run.partitions[pause.partition]?.name}: ticks ${pause.from} to ${pause.to ?? "the end"} (${pauseWords(pause)})` });
    part.style.width = ticks / mostPaused * 100 + "%";
    part.append(element("span", { text: run.partitions[pause.partition]?.name ?? "" }));
    bar.append(part);
  }
  box.append(bar, element("b", { text: one.paused ? plural(one.paused, "partition tick") : "nothing paused" }));
  return box;
}

function ownerLine(run, title, shares) {
  const row = element("div", { class: "owners-line" }, element("span", { class: "quiet", text: title }));
  const names = Object.keys(shares);
  if (names.length === 0) row.append(element("span", { class: "quiet", text: "nobody owns anything" }));
  for (const name of names) {
    const one = element("span", { class: "share" });
    one.append(chip(run, run.processes.findIndex(p => p.name === name)), " " + shares[name]);
    row.append(one);
  }
  return row;
}

function rebalanceCard(run, one, at) {
  const card = element("article", { class: "rebalance", "data-testid": "rebalance" });
  const last = one.generations[one.generations.length - 1];
  const until = one.to === null ? "not finished" : element("span", {}, "to ", tickButton(one.to));
  card.append(element("h4", {}, element("span", { class: "nth", text: one.number ? "#" + one.number : "-" }),
    element("span", {}, "ticks ", tickButton(one.from), " "), until,
    element("span", { class: "quiet", text: (run.groups.size > 1 ? `${one.group} · ` : "") + (last ? `generation ${one.generations.map(g => g.generation).join(", ")} · ${last.assignor}` : "") })));
  if (run.raw.why.some(other => other.rebalance === at && other.wasted)) {
    card.firstChild.append(element("span", { class: "badge wasted", title: "the owners are the same as before", text: "wasted" }));
  }
  for (const reason of one.reasons) {
    const line = element("p", { class: "why" }, reason);
    if (one.entry !== null && reason === one.reasons[0]) {
      line.append(" ", element("button", { type: "button", class: "why-link", text: "why?",
        on: () => { select(run.number, one.entry); byId("inspector").scrollIntoView({ block: "nearest" }); } }));
    }
    card.append(line);
  }
  card.append(pauseMeter(run, one, at), ownerLine(run, "before", one.before));
  if (one.to !== null) card.append(ownerLine(run, "after", one.after));
  return card;
}

// Why it happened, in sentences. A button goes to the tick, and chooses what is explained.
function whyStory(run) {
  const list = element("ol", { class: "story why-story", "data-testid": "story" });
  for (const one of run.raw.why.slice(0, STORY_MAX)) {
    const tick = tickButton(one.tick);
    if (one.entry !== null) tick.addEventListener("click", () => select(run.number, one.entry));
    list.append(element("li", { class: "what-" + one.what }, tick, element("p", { text: one.sentences.join(" ") })));
  }
  if (run.raw.why.length > STORY_MAX) list.append(element("li", { class: "quiet", text: `and ${run.raw.why.length - STORY_MAX} more` }));
  if (run.raw.why.length === 0) list.append(element("li", { class: "quiet", text: "nothing happened that needs an explanation" }));
  return list;
}

// Who starts in one tick shares a line.
function timelineLines(run) {
  const lines = [];
  for (const [tick, text] of run.raw.story) {
    const start = /^(\S+) starts \([a-z]+\)$/.exec(text);
    const last = lines[lines.length - 1];
    if (start && last?.starts && last.tick === tick) last.starts.push(start[1]);
    else lines.push({ tick, text, starts: start ? [start[1]] : null });
  }
  return lines;
}

function timeline(run) {
  const list = element("ol", { class: "story", "data-testid": "timeline" });
  const lines = timelineLines(run);
  for (const { tick, text, starts } of lines.slice(0, STORY_MAX)) {
    const rule = text.startsWith("rule ") || text.startsWith("     ");
    const words = starts?.length > 1 ? `${starts.join(" ")} start` : text.trim();
    list.append(element("li", rule ? { class: "quiet" } : {}, tickButton(tick), element("span", { text: words })));
  }
  if (lines.length > STORY_MAX) list.append(element("li", { class: "quiet", text: `and ${lines.length - STORY_MAX} more` }));
  for (const text of run.raw.never) list.append(element("li", { class: "bad" }, element("span", {}), element("span", { text: "never happened: " + text })));
  return list;
}

function errorTable(run, rows) {
  const body = element("tbody", {});
  for (const one of rows.sort((a, b) => a.first - b.first)) {
    const row = element("tr", {}, element("td", {}, tickButton(one.first)), element("td", {},
      chip(run, run.processes.findIndex(p => p.name === one.process))));
    for (const text of [one.error, one.exception, one.api ? `${one.api} refused` : "reported by the client",
      `${one.count}×`]) row.append(element("td", { text }));
    body.append(row);
  }
  return element("div", { class: "scroll" }, element("table", { class: "errors" }, body));
}

// What each member gets on its way is no error, and is told apart from those that are.
function errorsOf(run) {
  const errors = run.raw.errors.filter(one => !one.protocol);
  const protocol = run.raw.errors.filter(one => one.protocol);
  const box = element("div", { "data-testid": "errors" }, errors.length ? errorTable(run, errors)
    : element("p", { class: "quiet", text: protocol.length ? "none but those that are part of the protocol" : "no errors" }));
  if (protocol.length) {
    box.append(element("h3", { class: "errors-of-protocol", text: "part of the protocol" }),
      element("div", { "data-testid": "protocol-errors" }, errorTable(run, protocol)));
  }
  return box;
}

function drawStory() {
  byId("stories").classList.toggle("two", runs.length > 1);
  byId("stories").replaceChildren(...runs.map(run => {
    const box = element("div", { class: "run-story" });
    if (runs.length > 1) box.append(element("h2", { class: "run-name", text: run.name }));
    const cards = element("div", { class: "rebalances" });
    run.raw.rebalances.slice(0, 200).forEach((one, at) => cards.append(rebalanceCard(run, one, at)));
    box.append(element("h2", { text: "Rebalances and what they cost" }), cards,
      element("h2", { text: "Why it happened" }), whyStory(run),
      element("h2", { text: "What happened" }), timeline(run),
      element("h2", { text: "Errors" }), errorsOf(run));
    return box;
  }));
}
