// The packets that pass the filter, as a list of which only the rows in sight exist.

const ROW = 27;

function fateWords(run, i) {
  const { packets } = run;
  const rule = packets.rule(i) >= 0 ? `: rule ${packets.rule(i)}` : "";
  if (packets.fate(i) !== 0) return `  [${FATES[packets.fate(i)]}${rule}]`;
  if (packets.arrival[i] > packets.tick[i] + 1) return `  [arrives at tick ${packets.arrival[i]}${rule}]`;
  return "";
}

// The first place in the list whose packet is at or behind a tick.
function placeOfTick(tick) {
  const run = activeRun();
  const shown = app.shown[app.active];
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.packets.tick[shown[middle]] < tick) low = middle + 1; else high = middle;
  }
  return low;
}

function placeOfPacket(i) {
  const shown = app.shown[app.active];
  const at = countUpTo(shown, i) - 1;
  return at >= 0 && shown[at] === i ? at : -1;
}

function cell(row, name, text) {
  const one = document.createElement("span");
  one.className = name;
  one.textContent = text;
  row.append(one);
  return one;
}

function packetRow(run, i, place) {
  const { packets } = run;
  const row = document.createElement("div");
  row.className = "packet kind-" + KINDS[packets.kind[i]];
  row.id = "packet-" + i;
  row.dataset.testid = "packet";
  row.dataset.packet = i + 1;
  row.setAttribute("role", "option");
  row.setAttribute("aria-posinset", place + 1);
  row.setAttribute("aria-setsize", app.shown[app.active].length);
  row.setAttribute("aria-selected", i === selectedPacket());
  if (packets.quiet[i]) row.classList.add("routine");
  if (packets.error[i] === 2) row.classList.add("bad");
  if (packets.arrival[i] < 0) row.classList.add("lost");
  if (packets.tick[i] === app.tick) row.classList.add("now");
  row.style.top = place * ROW + "px";
  cell(row, "number", i + 1);
  cell(row, "tick", packets.tick[i]);
  const ends = cell(row, "ends", "");
  processChip(ends, run, packets.from[i]);
  ends.append(" → ");
  processChip(ends, run, packets.to[i]);
  cell(row, "info", packets.info(i) + fateWords(run, i));
  return row;
}

function processChip(parent, run, process) {
  const one = document.createElement("b");
  one.className = "process";
  const name = run.processes[process].name;
  if (owners.has(name)) one.style.setProperty("--owner", `var(--owner-${owners.get(name)})`);
  one.textContent = name;
  parent.append(one);
  return one;
}

function drawList() {
  const box = byId("packets");
  const run = activeRun();
  const shown = app.shown[app.active];
  byId("packets-rows").style.height = shown.length * ROW + "px";
  const first = Math.max(Math.floor(box.scrollTop / ROW) - 6, 0);
  const last = Math.min(first + Math.ceil(box.clientHeight / ROW) + 12, shown.length);
  const rows = [];
  for (let place = first; place < last; ++place) rows.push(packetRow(run, shown[place], place));
  byId("packets-rows").replaceChildren(...rows);
  const chosen = selectedPacket();
  const present = chosen >= 0 && byId("packet-" + chosen);
  if (present) box.setAttribute("aria-activedescendant", "packet-" + chosen);
  else box.removeAttribute("aria-activedescendant");
  const of = run.packets.count === shown.length ? "" : ` of ${run.packets.count.toLocaleString("en")}`;
  byId("packets-count").textContent = `${shown.length.toLocaleString("en")}${of} packets`;
  for (const button of byId("run-switch").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", Number(button.dataset.run) === app.active);
  }
}

// Of two runs one is listed.
function drawRunSwitch() {
  const box = byId("run-switch");
  box.hidden = runs.length < 2;
  if (box.hidden) return;
  box.replaceChildren(...runs.map(run => element("button", { type: "button", class: "toggle", text: run.name,
    "data-run": run.number, "data-testid": "listed-" + run.number, "aria-pressed": false,
    on: () => showRun(run.number) })), element("kbd", { text: "r", title: "the other run" }));
}

function scrollListTo(place) {
  const box = byId("packets");
  const top = place * ROW;
  if (top >= box.scrollTop && top + ROW <= box.scrollTop + box.clientHeight) return;
  box.scrollTop = Math.max(top - box.clientHeight / 3, 0);
}

// The list follows the tick, and the packet that is chosen.
function followInList(parts) {
  byId("packets-rows").style.height = app.shown[app.active].length * ROW + "px";
  const chosen = selectedPacket();
  const place = chosen >= 0 && activeRun().packets.tick[chosen] === app.tick ? placeOfPacket(chosen) : -1;
  if (parts.has("tick") || parts.has("selection") || parts.has("all")) {
    scrollListTo(place >= 0 ? place : placeOfTick(app.tick));
  }
  drawList();
}

// From the chosen one, or from the first of the tick.
function moveInList(step) {
  const shown = app.shown[app.active];
  if (shown.length === 0) return;
  const chosen = selectedPacket();
  const here = chosen >= 0 ? placeOfPacket(chosen) : -1;
  const start = here >= 0 ? here + step : placeOfTick(app.tick) - (step < 0 ? 1 : 0);
  selectPacket(app.active, shown[clamp(start, 0, shown.length - 1)]);
}

function listenToList() {
  const box = byId("packets");
  box.addEventListener("scroll", () => requestAnimationFrame(drawList), { passive: true });
  box.addEventListener("click", event => {
    const row = event.target.closest(".packet");
    if (row) selectPacket(app.active, Number(row.dataset.packet) - 1);
  });
}
