// Puts the page together.
//
// For tests and for the console there is one name, window.fencepost:
//   fencepost.ready          true once everything has been drawn
//   fencepost.state()        {runs, run, tick, lastTick, selected, packet, packets, shown, drawn,
//                            view, filter}: `selected` is an entry, `packet` its number in the
//                            packet list or null; `packets`, `shown` of the active run; `drawn`
//                            arrows of all pictures
//   fencepost.go(tick), fencepost.select(packet number), fencepost.zoom(from, to)
//   fencepost.packet(number) {number, tick, source, destination, info, fields, chain}
//   fencepost.flush()        draws now what is waiting for the next frame
// Elements for tests have data-testid: counts, packet, chain, effects, fields, info, member, group,
// partition, invoices, rebalance, story, verdict, listed-* (a run), protocol-errors, kind-*, process-*, errors-only, theme.

const pictures = [];
const minimaps = [];

function makePictures() {
  runs.forEach((run, number) => {
    const about = `Space-time picture of ${run.name}: ${run.processes.length} processes, ` +
      `${run.packets.count} packets over ${run.lastTick + 1} ticks. The packet list and the section "At tick" say the same in words.`;
    byId("pictures").append(element("figure", { class: "picture", "data-testid": "picture" },
      runs.length > 1 ? element("figcaption", { text: run.name }) : "",
      element("div", { class: "minimap" }, element("canvas", { id: "minimap-" + number, role: "img",
        "aria-label": `Overview of ${run.name}` })),
      element("div", { class: "stack" }, element("canvas", { id: "picture-" + number, role: "img", "aria-label": about }),
        element("canvas", { id: "overlay-" + number, "aria-hidden": "true" })),
      element("p", { class: "left-out quiet", id: "left-out-" + number })));
    byId("nows").append(element("div", { class: "now", id: "now-" + number }));
    pictures.push(new Picture(number));
    minimaps.push(new Minimap(number));
    listenToPicture(pictures[number]);
  });
  for (const id of ["nows", "columns"]) byId(id).classList.toggle("two", runs.length > 1);
}

function sayWhatIsLeftOut(picture) {
  byId("left-out-" + picture.number).textContent = picture.leftOut.length
    ? `Zoom in (+) to see the arrows of: ${picture.leftOut.join(", ")}. There are too many for this view.` : "";
}

let widthNow = 0;

// Canvases lose what is on them when they get another size, so it is drawn at once.
function resizeAll() {
  const width = byId("pictures").clientWidth;
  if (width === widthNow) return;
  widthNow = width;
  for (const one of [...pictures, ...minimaps]) one.resize();
  changed("all");
  render();
}

function listenToControls() {
  const press = (id, act) => byId(id).addEventListener("click", act);
  press("first", () => setTick(0));
  press("before", () => setTick(app.tick - 1));
  press("after", () => setTick(app.tick + 1));
  press("last", () => setTick(lastTick));
  press("jump-before", () => jump(-1));
  press("jump-after", () => jump(1));
  press("play", play);
  press("zoom-in", () => zoom(0.6));
  press("zoom-out", () => zoom(1 / 0.6));
  press("zoom-all", () => setView(0, lastTick + 1));
  press("theme", () => setTheme(isDark() ? "light" : "dark"));
  byId("tick").max = lastTick;
  byId("tick").addEventListener("change", () => setTick(Number(byId("tick").value) || 0));
  byId("of-ticks").textContent = "of " + lastTick;
}

// ---- dark and light ----

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : prefersDark.matches;
}

function sayTheme() {
  byId("theme").textContent = isDark() ? "light" : "dark";
  byId("theme").setAttribute("aria-label", `change to ${byId("theme").textContent} colours`);
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  sayTheme();
  readPalette();
  for (const one of minimaps) one.paintGround();
  changed("all");
}

// ---- for tests ----

function stateForTests() {
  const { filter, selected, view } = app;
  const run = activeRun();
  const packet = selectedPacket();
  return {
    runs: runs.map(one => one.name), run: app.active, tick: app.tick, lastTick,
    selected: selected ? selected.entry : null, packet: packet >= 0 ? packet + 1 : null,
    packets: run.packets.count, shown: app.shown[app.active].length, drawn: app.drawn,
    view: { ...view },
    filter: { text: filter.text, errors: filter.errors, processes: [...filter.processes],
      hidden: [...filter.hidden].map(kind => KINDS[kind]) },
  };
}

function packetForTests(number) {
  const run = activeRun();
  const i = number - 1;
  const entry = run.packets.entry[i];
  return {
    number, tick: run.packets.tick[i], source: run.processes[run.packets.from[i]].name,
    destination: run.processes[run.packets.to[i]].name, info: run.packets.info(i),
    fields: decodePacket(run, i), chain: chainOf(run, entry).map(one => entryWords(run, one).text),
  };
}

// Where the address says nothing: at the rebalance that cost most, and close to it if the arrows of
// the whole run would be a hatching. Widths in pixels.
const CROWDED_TICK = 9;
const ROOMY_TICK = 14;

function beginSomewhere() {
  let most = { paused: -1, from: 0, to: 0 };
  for (const one of runs[0].raw.rebalances) if (one.paused > most.paused) most = one;
  const { gutter, right, narrow } = layoutOf(runs[0], byId("pictures").clientWidth);
  const width = byId("pictures").clientWidth - gutter - right;
  if (narrow) {
    setView(most.from - 12, most.from + 36);
  } else if (width / (lastTick + 1) < CROWDED_TICK) {
    const rebalance = Math.max((most.to ?? most.from) - most.from, 0);
    const length = Math.max(Math.floor(width / ROOMY_TICK), Math.min(rebalance * 2, 400));
    const before = Math.min(Math.floor((length - rebalance) / 2), Math.floor(length / 3));
    setView(most.from - before, most.from - before + length);
  }
  setTick(most.from, { follow: false });
}

function start() {
  readPalette();
  sayTheme();
  makePictures();
  beginSomewhere();
  readAddress();
  applyFilter();
  drawHeading();
  drawFilters();
  drawStory();
  drawRunSwitch();
  onChange(["tick"], () => { byId("tick").value = app.tick; drawNow(); announce(); });
  onChange(["view", "filter"], () => { for (const one of pictures) { one.draw(); sayWhatIsLeftOut(one); } });
  onChange(["filter"], () => { for (const one of minimaps) one.paintGround(); });
  onChange(["view", "tick", "filter"], () => { for (const one of minimaps) one.draw(); });
  onChange(["tick", "selection"], parts => {
    if (!parts.has("view") && !parts.has("all")) for (const one of pictures) one.drawOverlay();
  });
  onChange(["selection"], drawInspector);
  onChange(["tick", "selection", "filter"], followInList);
  listenToControls();
  listenToFilters();
  listenToList();
  listenToKeys();
  // In a frame of its own: a canvas that is resized while its page is measured ends Chromium.
  new ResizeObserver(() => requestAnimationFrame(resizeAll)).observe(byId("pictures"));
  prefersDark.addEventListener("change", () => setTheme());
  window.addEventListener("hashchange", () => { readAddress(); drawFilters(); filterChanged(); });
  window.addEventListener("beforeprint", resizeAll);
  resizeAll();
  byId("loading").remove();
  window.fencepost = {
    ready: true, state: stateForTests, packet: packetForTests, flush: render,
    go: tick => setTick(tick), select: number => selectPacket(app.active, number - 1),
    zoom: (from, to) => setView(from, to),
  };
}

start();
