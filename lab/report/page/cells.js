// Logs as rows of cells, one for each record. Those of sources show who has processed them and
// what is committed; those of outputs who wrote them, and which stand twice.

const CELLS_SHOWN = 40;

// By offset: who of a group has processed it until now, in order.
function doneUpTo(run, group, log, tick) {
  const done = new Map();
  for (const one of log.done) {
    if (one.tick > tick) break;
    if (run.processes[one.process].group !== group) continue;
    if (done.has(one.offset)) done.get(one.offset).push(one); else done.set(one.offset, [one]);
  }
  return done;
}

function cellButton(run, one, className, title) {
  const cellOf = element("button", { type: "button", class: "cell " + className, tabindex: -1, title,
    "aria-label": title });
  cellOf.addEventListener("click", event => selectFrom(event, run.number, one.entry));
  return cellOf;
}

// One cell of a strip is reached with Tab, its last one; the others with the arrow keys from there.
function walkable(strip) {
  const cells = [...strip.querySelectorAll(".cell")];
  if (cells.length) cells[cells.length - 1].tabIndex = 0;
  strip.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step && cells[cells.indexOf(event.target) + step];
    if (!step || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  });
  return strip;
}

function colourCell(made, run, process) {
  const name = run.processes[process]?.name;
  if (owners.has(name)) made.style.setProperty("--owner", `var(--owner-${owners.get(name)})`);
}

function sourceCells(run, partition, now) {
  const log = run.logs[partition];
  const strip = element("div", { class: "strip" });
  const first = Math.max(now.written - 24, 0);
  if (first > 0) strip.append(element("span", { class: "quiet", text: "…" }));
  const done = doneUpTo(run, now.group, log, app.tick);
  for (const one of log.cells.slice(first, now.written)) {
    const by = done.get(one.offset) ?? [];
    const names = by.map(each => run.processes[each.process].name).join(", ");
    const committed = now.committed !== null && one.offset < now.committed;
    const title = `${one.name}: ${names ? "processed by " + names : "not processed"}${committed ? ", committed" : ""}`;
    const made = cellButton(run, by.length ? by[by.length - 1] : one, by.length ? "done" : "waiting", title);
    if (by.length) colourCell(made, run, by[by.length - 1].process);
    if (by.length > 1) { made.classList.add("twice"); made.textContent = by.length; }
    if (committed) made.classList.add("committed");
    strip.append(made);
  }
  return walkable(strip);
}

function outputStrip(run, partition) {
  const log = run.logs[partition];
  const written = countUpTo(log.ticks, app.tick);
  const first = Math.max(written - CELLS_SHOWN * 2, 0);
  const strip = element("div", { class: "strip wide", "data-testid": "invoices" });
  if (first > 0) strip.append(element("span", { class: "quiet", text: `… ${first} before` }));
  const copies = new Map();
  for (let at = 0; at < written; ++at) copies.set(log.cells[at].name, (copies.get(log.cells[at].name) ?? 0) + 1);
  for (const one of log.cells.slice(first, written)) {
    const who = run.processes[one.producer]?.name ?? "?";
    const twice = copies.get(one.name) > 1;
    const words = twice ? `, stands ${copies.get(one.name)} times` : "";
    const made = cellButton(run, one, "named" + (twice ? " twice" : ""),
      `${one.name} at offset ${one.offset}, written by ${who} at tick ${one.tick}${words}`);
    made.textContent = one.name.replace(/^inv\((.*)\)$/, "$1");
    colourCell(made, run, one.producer);
    strip.append(made);
  }
  if (written === 0) strip.append(element("span", { class: "quiet", text: "nothing yet" }));
  return walkable(strip);
}

function outputLogs(run) {
  const box = element("div", { class: "outputs" });
  run.partitions.forEach((one, partition) => {
    if (!run.raw.outputs.includes(one.topic)) return;
    box.append(element("h3", {}, element("b", { text: one.topic }),
      element("span", { class: "quiet", text: "each invoice by who wrote it; a ring marks those that stand twice" })),
      outputStrip(run, partition));
  });
  return box;
}
