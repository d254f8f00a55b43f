// Why it happened: each rebalance with what it cost, then the run as a story, then errors.

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
    const part = element("i", { title: `${run.partitions[pause.partition]?.name}: ticks ${pause.from} to ${pause.to ?? "the end"} (${pause.why})` });
    part.style.width = ticks / mostPaused * 100 + "%";
    part.textContent = run.partitions[pause.partition]?.name ?? "";
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
  for (const text of one.starts) card.append(element("p", { class: "start quiet", text }));
  return card;
}

function storyLines(run) {
  const list = element("ol", { class: "story", "data-testid": "story" });
  for (const [tick, text] of run.raw.story.slice(0, 1000)) {
    const plain = text.startsWith("rule ") || text.startsWith("     ");
    list.append(element("li", plain ? { class: "quiet" } : {}, tickButton(tick), element("span", { text: text.trim() })));
  }
  if (run.raw.story.length > 1000) list.append(element("li", { text: `and ${run.raw.story.length - 1000} more` }));
  return list;
}

function errorTable(run) {
  const rows = run.raw.errors.filter(one => !one.protocol);
  if (rows.length === 0) return element("p", { class: "quiet", text: "no errors" });
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

function drawStory() {
  byId("stories").classList.toggle("two", runs.length > 1);
  byId("stories").replaceChildren(...runs.map(run => {
    const box = element("div", { class: "run-story" });
    if (runs.length > 1) box.append(element("h2", { class: "run-name", text: run.name }));
    const cards = element("div", { class: "rebalances" });
    run.raw.rebalances.slice(0, 200).forEach((one, at) => cards.append(rebalanceCard(run, one, at)));
    box.append(element("h2", { text: "Rebalances and what they cost" }), cards,
      element("h2", { text: "The story" }), storyLines(run),
      element("h2", { text: "Errors" }), errorTable(run));
    return box;
  }));
}
