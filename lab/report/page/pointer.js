// The picture under a pointer: what is near is named, a click chooses it, a drag moves along.

function distanceTo(segment, x, y) {
  const dx = segment.x1 - segment.x0;
  const dy = segment.y1 - segment.y0;
  const length = dx * dx + dy * dy;
  const along = length ? clamp(((x - segment.x0) * dx + (y - segment.y0) * dy) / length, 0, 1) : 0;
  return Math.hypot(segment.x0 + along * dx - x, segment.y0 + along * dy - y);
}

// What was drawn last lies on top, and wins.
function nearest(picture, x, y, reach) {
  let found = null;
  let best = reach;
  for (let at = picture.segments.length - 1; at >= 0; --at) {
    const distance = distanceTo(picture.segments[at], x, y);
    if (distance < best - 0.5) { best = distance; found = picture.segments[at]; }
  }
  return found;
}

function packetWords(run, i) {
  const { packets } = run;
  const name = process => run.processes[process].name;
  return `${i + 1}: ${name(packets.from[i])} → ${name(packets.to[i])}  ${packets.info(i)}${fateWords(run, i)}`;
}

function rowAt(rows, y) { return rows.find(row => y >= row.y && y <= row.y + row.height); }

function spanAt(spans, tick) {
  return spans.find(one => one.from <= tick && (one.to === null || tick < one.to));
}

function partitionWords(run, { spans, partition }, tick) {
  const name = run.partitions[partition].name;
  const pause = spanAt(spans.pauses, tick);
  if (pause) {
    const until = pause.to === null ? "the end" : `tick ${pause.to}`;
    return `${name} is paused from tick ${pause.from} to ${until}: ${pauseWords(pause)}`;
  }
  const owner = spanAt(spans.owners, tick);
  if (!owner) return `${name}: nobody owns it`;
  const zombie = owner.evicted !== null && owner.evicted <= tick ? ", but the coordinator has removed it" : "";
  return `${name}: ${run.processes[owner.process].name} owns it (generation ${owner.generation})${zombie}`;
}

// What is under the pointer, in words; and the arrow, if it is one.
function whatIsAt(picture, x, y, reach) {
  const { run, layout } = picture;
  const segment = y < layout.lanesEnd ? nearest(picture, x, y, reach) : null;
  if (segment) return { segment, words: packetWords(run, segment.i) };
  const tick = Math.floor(picture.tickAt(x));
  const partition = rowAt(layout.partitions, y);
  if (partition) return { words: partitionWords(run, partition, tick) };
  const group = rowAt(layout.groups, y);
  const state = group && run.groups.get(group.name)?.at(tick);
  if (state) {
    return { words: `group ${group.name}: ${state.state} since tick ${state.tick}, generation ` +
      `${state.generation}: ${state.reason}` };
  }
  return {};
}

const tip = byId("tip");

function showTip(words, event) {
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  const { innerWidth, innerHeight } = window;
  const box = tip.getBoundingClientRect();
  tip.style.left = clamp(event.clientX + 14, 4, Math.max(innerWidth - box.width - 8, 4)) + "px";
  const below = event.clientY + 18;
  tip.style.top = (below + box.height > innerHeight ? event.clientY - box.height - 12 : below) + "px";
}

function listenToPicture(picture) {
  const canvas = picture.overlay;
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  let drag = null;
  canvas.addEventListener("pointerdown", event => {
    drag = { ...place(event), from: app.view.from, to: app.view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    const { x, y } = place(event);
    if (drag) {
      if (Math.abs(x - drag.x) > 5) drag.moved = true;
      const shift = (x - drag.x) / picture.perTick;
      if (drag.moved) { showTip("", event); setView(drag.from - shift, drag.to - shift); }
      return;
    }
    const { segment, words } = whatIsAt(picture, x, y, 6);
    if (picture.hover !== (segment ?? null)) { picture.hover = segment ?? null; picture.drawOverlay(); }
    showTip(words, event);
  });
  canvas.addEventListener("pointerup", event => {
    if (drag && !drag.moved) choose(picture, place(event), event.pointerType === "touch" ? 14 : 7);
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", event => {
    if (picture.hover) { picture.hover = null; picture.drawOverlay(); }
    showTip("", event);
  });
  canvas.addEventListener("wheel", event => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    if (zooms) return zoom(Math.exp(clamp(event.deltaY, -60, 60) / 200), picture.tickAt(place(event).x));
    const shift = sideways / picture.perTick;
    setView(app.view.from + shift, app.view.to + shift);
  }, { passive: false });
}

function choose(picture, { x, y }, reach) {
  const { segment } = whatIsAt(picture, x, y, reach);
  app.active = picture.number;
  if (segment) return selectPacket(picture.number, segment.i, { follow: false });
  setTick(Math.floor(picture.tickAt(x)), { follow: false });
  changed("selection");
}
