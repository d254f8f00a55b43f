// Which packets are shown: by process, by kind, errors alone, and by a text.

const KIND_WORDS = {
  group: "group protocol", heartbeats: "heartbeats", offsets: "offsets", records: "records",
  transactions: "transactions", cluster: "metadata",
};

function toggle(set, value) {
  if (set.has(value)) set.delete(value); else set.add(value);
}

function toggleButton(text, name, pressed, act) {
  const button = element("button", { type: "button", class: "toggle " + name, "aria-pressed": pressed, text });
  button.addEventListener("click", () => { act(); drawFilters(); filterChanged(); });
  return button;
}

function usedKinds() {
  const used = new Set();
  for (const run of runs) for (const kind of run.packets.kind) used.add(kind);
  return KINDS.map((_, kind) => kind).filter(kind => used.has(kind));
}

const kindsInUse = usedKinds();

function drawFilters() {
  const { filter } = app;
  const focused = document.activeElement?.dataset.testid;
  const kinds = kindsInUse.map(kind => {
    const button = toggleButton(KIND_WORDS[KINDS[kind]], "kind-" + KINDS[kind], !filter.hidden.has(kind),
      () => toggle(filter.hidden, kind));
    button.dataset.testid = "kind-" + KINDS[kind];
    return button;
  });
  const errors = toggleButton("errors only", "errors", filter.errors, () => { filter.errors = !filter.errors; });
  errors.dataset.testid = "errors-only";
  byId("kinds").replaceChildren(...kinds, errors);
  const names = [...new Set(runs.flatMap(run => laneOrder(run).map(p => run.processes[p].name)))];
  byId("processes").replaceChildren(...names.slice(0, 60).map(name => {
    const button = toggleButton(name, "process", filter.processes.has(name), () => toggle(filter.processes, name));
    if (owners.has(name)) button.style.setProperty("--owner", `var(--owner-${owners.get(name)})`);
    button.dataset.testid = "process-" + name;
    return button;
  }));
  if (document.activeElement !== byId("search")) byId("search").value = filter.text;
  const toggles = [...document.querySelectorAll(".toggle")];
  toggles.find(one => focused && one.dataset.testid === focused)?.focus();
}

function listenToFilters() {
  const search = byId("search");
  search.addEventListener("input", () => {
    app.filter.text = search.value;
    filterChanged();
  });
  byId("clear").addEventListener("click", () => {
    app.filter = { text: "", processes: new Set(), hidden: new Set(), errors: false };
    search.value = "";
    drawFilters();
    filterChanged();
  });
}
