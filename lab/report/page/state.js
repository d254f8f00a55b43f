// What is chosen: the tick, the entry, the view, the filters. Everything that is drawn follows from
// it, and the address keeps it.

const page = JSON.parse(await dataText());
const runs = page.runs.map(readRun);
const lastTick = Math.max(...runs.map(run => run.lastTick));

const app = {
  tick: 0,
  active: 0,               // whose packets are listed
  selected: null,          // {run, entry}
  view: { from: 0, to: lastTick + 1 },
  filter: { text: "", processes: new Set(), hidden: new Set(), errors: false },
  shown: runs.map(() => new Int32Array(0)),  // packets that pass the filter, by run
  flags: runs.map(run => new Uint8Array(run.packets.count)),
  renders: [],
  drawn: 0,
};

const activeRun = () => runs[app.active];
const byId = id => document.getElementById(id);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// ---- drawing, at most once a frame ----

const pending = new Set();
let frame = 0;

// Parts: "tick", "view", "selection", "filter", "all".
function changed(...parts) {
  for (const part of parts) pending.add(part);
  if (!frame) frame = requestAnimationFrame(render);
}

function render() {
  frame = 0;
  const parts = new Set(pending);
  pending.clear();
  const all = parts.has("all");
  for (const { on, draw } of app.renders) {
    if (all || on.some(part => parts.has(part))) draw(parts);
  }
}

function onChange(on, draw) { app.renders.push({ on, draw }); }

// ---- filter ----

function matcher(run) {
  const { text, processes, hidden, errors } = app.filter;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = new Set([...processes].map(name => run.processes.findIndex(p => p.name === name)));
  const packets = run.packets;
  const known = new Map();  // texts are searched once
  const has = i => {
    const info = packets.info(i);
    const name = p => run.processes[p].name.toLowerCase();
    let found = known.get(info);
    if (found === undefined) known.set(info, found = info.toLowerCase());
    return words.every(word => found.includes(word) || name(packets.from[i]) === word ||
      name(packets.to[i]) === word || String(i + 1) === word);
  };
  return i => {
    if (hidden.has(packets.kind[i]) && !packets.error[i]) return false;
    if (errors && !packets.error[i] && packets.fate(i) === 0) return false;
    if (processes.size && !wanted.has(packets.from[i]) && !wanted.has(packets.to[i])) return false;
    return words.length === 0 || has(i);
  };
}

function applyFilter() {
  runs.forEach((run, number) => {
    const passes = matcher(run);
    const flags = app.flags[number];
    let count = 0;
    for (let i = 0; i < flags.length; ++i) count += flags[i] = passes(i) ? 1 : 0;
    const shown = new Int32Array(count);
    for (let i = 0, at = 0; i < flags.length; ++i) if (flags[i]) shown[at++] = i;
    app.shown[number] = shown;
  });
}

function filterChanged() {
  applyFilter();
  changed("filter", "view");
  keepInAddress();
}

// ---- choosing ----

function setTick(tick, { follow = true } = {}) {
  app.tick = clamp(Math.round(tick), 0, lastTick);
  if (follow) showTick(app.tick);
  changed("tick");
  keepInAddress();
}

function select(run, entry, { follow = true } = {}) {
  app.selected = entry === null ? null : { run, entry };
  if (entry !== null) {
    app.active = run;
    setTick(runs[run].entries.tick[entry], { follow });
  }
  changed("selection");
  keepInAddress();
}

const selectPacket = (run, i, options) => select(run, runs[run].packets.entry[i], options);

// The packet that is selected in the active run; -1: none.
function selectedPacket() {
  const { selected } = app;
  if (!selected || selected.run !== app.active) return -1;
  return activeRun().entries.packet[selected.entry];
}

// ---- view ----

function setView(from, to) {
  const longest = lastTick + 1;
  const length = clamp(to - from, Math.min(8, longest), longest);
  const start = clamp(from, 0, longest - length);
  app.view = { from: start, to: start + length };
  changed("view");
  keepInAddress();
}

function zoom(factor, around = app.tick) {
  const { from, to } = app.view;
  const middle = clamp(around, from, to);
  setView(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

// Moves the view if the tick is outside, or close to an edge.
function showTick(tick) {
  const { from, to } = app.view;
  const margin = (to - from) * 0.08;
  const room = Math.round(margin * 4);  // whole ticks, as the address keeps them
  if (tick < from + margin && from > 0) setView(tick - room, tick - room + to - from);
  if (tick > to - margin && to < lastTick + 1) setView(tick + room - (to - from), tick + room);
}

// ---- the address ----

let addressTimer = 0;

function keepInAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const { filter, selected, view } = app;
    const words = new URLSearchParams();
    words.set("t", app.tick);
    if (app.active) words.set("run", app.active);
    if (selected) words.set("e", selected.entry);
    words.set("v", [view.from, view.to].map(Math.round).join("-"));
    if (filter.text) words.set("q", filter.text);
    if (filter.processes.size) words.set("p", [...filter.processes].join(","));
    if (filter.hidden.size) words.set("hide", [...filter.hidden].map(kind => KINDS[kind]).join(","));
    if (filter.errors) words.set("errors", 1);
    history.replaceState(null, "", "#" + words);
  }, 150);
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const filter = app.filter;
  filter.text = words.get("q") ?? "";
  filter.errors = words.has("errors");
  filter.processes = new Set((words.get("p") ?? "").split(",").filter(Boolean));
  const hidden = (words.get("hide") ?? "").split(",").map(kind => KINDS.indexOf(kind));
  filter.hidden = new Set(hidden.filter(kind => kind >= 0));
  app.active = clamp(Number(words.get("run")) || 0, 0, runs.length - 1);
  const [from, to] = (words.get("v") ?? "").split("-").map(Number);
  if (to > from) setView(from, to);
  const entry = Number(words.get("e"));
  if (words.has("e") && entry >= 0 && entry < activeRun().entries.count) {
    select(app.active, entry, { follow: !words.has("v") });
  }
  if (words.has("t")) setTick(Number(words.get("t")) || 0, { follow: !words.has("v") });
}
