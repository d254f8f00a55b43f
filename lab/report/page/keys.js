// By keyboard alone: every control can be reached with Tab, and these keys work anywhere.

const KEYS = [
  ["← →", "a tick back, a tick on"],
  ["Shift ← →", "to the tick before or after in which more than heartbeats happens"],
  ["Home End", "the first tick, the last tick"],
  ["↑ ↓", "the packet before, the packet after"],
  ["Enter", "open what is chosen"],
  ["p", "play, a few ticks a second; stop"],
  ["+ - 0", "zoom in, zoom out, the whole run"],
  ["/", "to the filter"],
  ["h", "hide heartbeats, show them"],
  ["e", "errors only, or all"],
  ["r", "the other run"],
  ["Esc", "leave the filter, close this"],
  ["?", "this list"],
];

// Ticks with more than what goes on all the time.
function eventfulTicks(number) {
  const run = runs[number];
  if (run.eventful) return run.eventful;
  const ticks = new Set();
  for (let entry = 0; entry < run.entries.count; ++entry) {
    const i = run.entries.packet[entry];
    if (i >= 0 && run.packets.quiet[i]) continue;
    ticks.add(run.entries.tick[entry]);
  }
  return run.eventful = [...ticks].sort((a, b) => a - b);
}

function jump(direction) {
  const ticks = runs.flatMap((_, number) => eventfulTicks(number));
  let target = direction > 0 ? lastTick : 0;
  for (const tick of ticks) {
    if (direction > 0 && tick > app.tick) target = Math.min(target, tick);
    if (direction < 0 && tick < app.tick) target = Math.max(target, tick);
  }
  setTick(target);
}

function openChosen() {
  if (!app.selected) {
    const shown = app.shown[app.active];
    const place = placeOfTick(app.tick);
    if (place < shown.length) selectPacket(app.active, shown[place]);
  }
  byId("inspector").focus();
  byId("inspector").scrollIntoView({ block: "nearest" });
}

function showRun(number) {
  app.active = number;
  changed("filter", "selection", "tick");
  keepInAddress();
}

function otherRun() { if (runs.length > 1) showRun(1 - app.active); }

function pressKind(name) { byId("kinds").querySelector(`[data-testid="${name}"]`)?.click(); }

// ---- playing ----

const PLAY_MS = 220;
let playing = 0;

function play() {
  const stop = playing || app.tick >= lastTick;
  clearInterval(playing);
  playing = stop ? 0 : setInterval(() => {
    if (app.tick >= lastTick) return play();
    setTick(app.tick + 1);
  }, PLAY_MS);
  byId("play").textContent = playing ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", playing ? "stop" : "play");
}

const ACTIONS = {
  ArrowLeft: event => (event.shiftKey ? jump(-1) : setTick(app.tick - 1)),
  ArrowRight: event => (event.shiftKey ? jump(1) : setTick(app.tick + 1)),
  ArrowUp: () => moveInList(-1),
  ArrowDown: () => moveInList(1),
  Home: () => setTick(0),
  End: () => setTick(lastTick),
  "+": () => zoom(0.6),
  "=": () => zoom(0.6),
  "-": () => zoom(1 / 0.6),
  0: () => setView(0, lastTick + 1),
  "/": () => { byId("search").focus(); byId("search").select(); },
  "?": () => byId("help").showModal(),
  h: () => pressKind("kind-heartbeats"),
  e: () => pressKind("errors-only"),
  p: play,
  r: otherRun,
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const { target } = event;
  if (target.matches("input, select, textarea")) {
    if (event.key === "Escape" || event.key === "Enter") target.blur();
    return;
  }
  // Enter and blank press whatever has the focus.
  if (event.key === "Enter" && !target.closest("button, summary, a")) {
    event.preventDefault();
    return openChosen();
  }
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
}

function listenToKeys() {
  document.addEventListener("keydown", onKey);
  const list = byId("keys");
  for (const [keys, meaning] of KEYS) {
    const term = element("dt", {});
    for (const key of keys.split(" ")) term.append(element("kbd", { text: key }), " ");
    list.append(term, element("dd", { text: meaning }));
  }
  byId("help-button").addEventListener("click", () => byId("help").showModal());
}
