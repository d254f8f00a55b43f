// What is chosen: a packet with its fields, or an event; what led to it, back to the start of a
// process or a rule; and what it led to.

const EFFECTS_MAX = 30;
const CHAIN_MAX = 12;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key === "on") made.addEventListener("click", value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function seconds(run, tick) { return (tick * run.tickMs / 1000).toFixed(3) + " s"; }

// What was pressed may be gone after that: by keyboard one goes on in what was chosen.
function selectFrom(event, number, entry) {
  select(number, entry);
  if (event.detail === 0) byId("inspector").focus();
}

// An entry in one line.
function entryWords(run, entry) {
  const { entries } = run;
  const who = run.processes[entries.process[entry]]?.name ?? "";
  const what = entries.what[entry];
  if (what === WHAT.packet) {
    const i = entries.packet[entry];
    const to = run.processes[run.packets.to[i]].name;
    return { who: `${who} → ${to}`, text: run.packets.info(i) + fateWords(run, i) };
  }
  if (what === WHAT.fired) return { who: "rule", text: entries.text(entry) };
  if (what === WHAT.end) return { who: "end", text: entries.text(entry) };
  return { who, text: entries.text(entry) };
}

function throughTimer(run, entry) {
  const timer = run.entries.timer(entry);
  if (!timer) return "";
  const armed = run.entries.tick[entry] - run.entries.armed(entry);
  return armed >= 0 ? `by timer ${timer}, armed at tick ${armed}` : `by timer ${timer}`;
}

function entryButton(number, entry) {
  const run = runs[number];
  const { who, text } = entryWords(run, entry);
  const kind = ["packet", "event", "life", "fired", "end"][run.entries.what[entry]];
  const button = element("button", { type: "button", class: "link is-" + kind, "data-entry": entry },
    element("span", { class: "when", text: "tick " + run.entries.tick[entry] }),
    element("b", { text: who }), element("span", { class: "what", text }));
  const i = run.entries.packet[entry];
  if (i >= 0 && run.packets.error[i] === 2) button.classList.add("bad");
  button.addEventListener("click", event => selectFrom(event, number, entry));
  return button;
}

function chainOf(run, entry) {
  const chain = [];
  for (let at = run.entries.cause[entry]; at >= 0; at = run.entries.cause[at]) chain.push(at);
  return chain;
}

function effectsOf(run, entry) {
  if (!run.effects) {
    run.effects = new Map();
    for (let at = 0; at < run.entries.count; ++at) {
      const cause = run.entries.cause[at];
      if (cause < 0) continue;
      if (run.effects.has(cause)) run.effects.get(cause).push(at); else run.effects.set(cause, [at]);
    }
  }
  return run.effects.get(entry) ?? [];
}

// Asking again and again is one thing.
function isRoutine(run, entry) {
  const i = run.entries.packet[entry];
  return i >= 0 && run.packets.quiet[i] === 1;
}

// Entries, and lists of those that are routine.
function folded(run, chain) {
  const parts = [];
  for (let at = 0; at < chain.length;) {
    let end = at;
    while (end < chain.length && isRoutine(run, chain[end])) ++end;
    if (end - at >= 4) {
      parts.push(chain[at], chain.slice(at + 1, end - 1), chain[end - 1]);
    } else {
      parts.push(...chain.slice(at, Math.max(end, at + 1)));
    }
    at = Math.max(end, at + 1);
  }
  return parts;
}

function moreButton(text, act) {
  const item = element("li", { class: "more" }, element("button", { type: "button", class: "why-link", text }));
  item.firstChild.addEventListener("click", () => act(item));
  return item;
}

function causeList(number, entry) {
  const run = runs[number];
  const list = element("ol", { class: "chain", "data-testid": "chain" });
  const chain = chainOf(run, entry);
  const effectOf = new Map(chain.map((cause, at) => [cause, at ? chain[at - 1] : entry]));
  const item = cause => {
    const through = throughTimer(run, effectOf.get(cause));
    const one = element("li", {});
    if (through) one.append(element("span", { class: "through", text: through }));
    one.append(entryButton(number, cause));
    return one;
  };
  const items = parts => parts.map(part => (Array.isArray(part)
    ? moreButton(`${part.length} more of these`, more => more.replaceWith(...part.slice(0, 500).map(item)))
    : item(part)));
  const parts = folded(run, chain);
  const whole = parts.length <= CHAIN_MAX + 2;
  list.append(...items(whole ? parts : parts.slice(0, CHAIN_MAX)));
  if (!whole) {
    const rest = parts.slice(CHAIN_MAX, -1);
    list.append(moreButton(`${rest.flat().length} more`, more => more.replaceWith(...items(rest.slice(0, 500)))),
      ...items(parts.slice(-1)));
  }
  if (chain.length === 0) list.append(element("li", { class: "quiet", text: run.entries.what[entry] === WHAT.fired
    ? "the scenario's timeline" : "nothing that the capture knows" }));
  return list;
}

function effectList(number, entry) {
  const effects = effectsOf(runs[number], entry);
  const list = element("ul", { class: "chain effects", "data-testid": "effects" });
  for (const effect of effects.slice(0, EFFECTS_MAX)) list.append(element("li", {}, entryButton(number, effect)));
  if (effects.length > EFFECTS_MAX) {
    list.append(element("li", { class: "quiet", text: `and ${effects.length - EFFECTS_MAX} more` }));
  }
  if (effects.length === 0) list.append(element("li", { class: "quiet", text: "nothing" }));
  return list;
}

function fieldTree(fields) {
  const list = element("ul", { class: "fields" });
  for (const field of fields) {
    if (field.fields) {
      list.append(element("li", {}, element("details", { open: "" },
        element("summary", {}, element("span", { class: "name", text: field.name }),
          element("span", { class: "type", text: " " + field.type })),
        fieldTree(field.fields))));
    } else {
      list.append(element("li", {}, element("span", { class: "name", text: field.name }), " ",
        element("span", { class: "value", text: field.text })));
    }
  }
  return list;
}

function packetFacts(number, i) {
  const run = runs[number];
  const { packets } = run;
  const facts = element("dl", { class: "facts" });
  const fact = (name, ...value) => facts.append(element("dt", { text: name }), element("dd", {}, ...value));
  fact("sent", `tick ${packets.tick[i]} (${seconds(run, packets.tick[i])})`);
  const rule = packets.rule(i) >= 0 ? ` by rule ${packets.rule(i)}` : "";
  if (packets.fate(i) !== 0) fact("fate", element("b", { class: "bad", text: FATES[packets.fate(i)] + rule }));
  else fact("arrives", `tick ${packets.arrival[i]}${rule}`);
  if (packets.received[i] >= 0) fact("received", `tick ${packets.received[i]}`);
  fact("length", `${packets.length(i)} bytes`);
  const peer = packets.peer(i);
  const title = packets.response(i) ? "answers" : "response";
  if (peer >= 0) fact(title, entryButton(number, packets.entry[peer]));
  else if (!packets.response(i)) fact(title, "none");
  return facts;
}

// Why a record stands twice, where one of its invoices is chosen.
function recordWhy(run, entry) {
  if (run.entries.what[entry] !== WHAT.event) return [];
  const names = new Set(run.appends.filter(one => one.entry === entry).map(one => one.name.replace(/^inv\((.*)\)$/, "$1")));
  return [...names].filter(name => Object.hasOwn(run.raw.record_why, name)).map(name =>
    element("p", { class: "record-why", "data-testid": "record-why", text: run.raw.record_why[name].join(" ") }));
}

function drawInspector() {
  const box = byId("inspector-body");
  if (!app.selected) {
    byId("inspector-title").textContent = "Nothing chosen";
    box.replaceChildren(element("p", { class: "quiet",
      text: "Choose an arrow, a row or a cell: its fields stand here, and what led to it." }));
    return;
  }
  const { run: number, entry } = app.selected;
  const run = runs[number];
  const i = run.entries.packet[entry];
  const { who, text } = entryWords(run, entry);
  byId("inspector-title").textContent = i >= 0 ? `Packet ${i + 1}: ${who}` : `${who}, tick ${run.entries.tick[entry]}`;
  const parts = [element("p", { class: "info-line", "data-testid": "info", text }),
    ...recordWhy(run, entry)];
  if (i >= 0) parts.push(packetFacts(number, i));
  const through = throughTimer(run, entry);
  if (through && i < 0) parts.push(element("p", { class: "quiet", text: through }));
  parts.push(element("h3", { text: "What led to it" }), causeList(number, entry));
  parts.push(element("h3", { text: "What it led to" }), effectList(number, entry));
  if (i >= 0) {
    parts.push(element("h3", { text: "Fields" }), element("div", { "data-testid": "fields" }, fieldTree(decodePacket(run, i))));
  }
  box.replaceChildren(...parts);
}
