// Who the run is: its name, what it is about, what it counts, and whether it came out as expected.

function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function countsOf(run) {
  const { counts } = run.raw;
  const parts = [`${plural(run.lastTick + 1, "tick")} of ${run.tickMs} ms`, `seed ${run.seed}`,
    plural(counts.packets, "packet"), plural(counts.events, "event")];
  if (counts.lost) parts.push(`${plural(counts.lost, "packet")} lost by faults`);
  if (!run.raw.ended) parts.push("cut short: the capture has no end");
  return parts;
}

function verdictBox(run, title, verdicts) {
  if (verdicts.length === 0) return "";
  const bad = verdicts.filter(one => one.outcome !== "valid");
  const worst = verdicts.some(one => one.outcome === "invalid") ? "invalid" : bad.length ? "unknown" : "valid";
  const words = bad.length ? `${bad.length} of ${verdicts.length} not valid` : `all ${verdicts.length} hold`;
  const list = element("ul", {});
  for (const one of verdicts) {
    const item = element("li", { class: one.outcome }, element("b", { text: one.outcome }), " ",
      element("span", { text: one.subject }));
    if (one.outcome !== "valid" && one.detail) item.append(element("span", { class: "quiet", text: " " + one.detail }));
    for (const detail of one.details) item.append(element("div", { class: "quiet", text: detail }));
    list.append(item);
  }
  return element("details", { class: "verdict " + worst, "data-testid": "verdict" },
    element("summary", {}, element("i", { class: "mark" }), `${title}: ${words}`), list);
}

function recordWords(run) {
  return run.raw.records.map(one => {
    const parts = [`${one.once} once`];
    if (one.duplicates.length) parts.push(`${one.duplicates.length} twice`);
    if (one.lost.length) parts.push(`${one.lost.length} lost`);
    if (one.pending.length) parts.push(`${one.pending.length} pending`);
    return { group: one.group, text: `${plural(one.records, "record")}: ${parts.join(", ")}`,
      bad: one.duplicates.length + one.lost.length > 0 };
  });
}

function runHeading(run) {
  const box = element("section", { class: "run", "data-testid": "run" }, element("h1", { text: run.name }));
  if (run.about) box.append(element("p", { class: "about", text: run.about }));
  const counts = element("ul", { class: "counts", "data-testid": "counts" });
  for (const text of countsOf(run)) counts.append(element("li", { text }));
  for (const one of recordWords(run)) {
    counts.append(element("li", { class: one.bad ? "bad" : "good", text: `group ${one.group}: ${one.text}` }));
  }
  const { expected, checks } = run.raw.verdicts;
  box.append(counts, element("div", { class: "verdicts" }, verdictBox(run, "expected by the scenario", expected),
    verdictBox(run, "checked on every run", checks)));
  return box;
}

function drawHeading() {
  byId("runs").replaceChildren(...runs.map(runHeading));
  byId("runs").classList.toggle("two", runs.length > 1);
}
