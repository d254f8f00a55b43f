// The picture of a run: time goes to the right, each process has a lane, each packet is an arrow;
// below, in the same time, the states of groups and the owners of partitions.

const NARROW = 640;
const ROLES = ["producer", "admin", "probe", "reader", "broker", "member"];

// Consumers in a group stand together, below the broker; one without a group above it.
function placeOf(process) {
  if (process.role !== "consumer") return process.role;
  return process.group ? "member" : "reader";
}

function laneOrder(run) {
  const rank = p => { const at = ROLES.indexOf(placeOf(p)); return at < 0 ? ROLES.length : at; };
  const named = run.processes.map((p, i) => ({ p, i })).filter(({ p }) => p.name);
  return named.sort((a, b) => rank(a.p) - rank(b.p) ||
    a.p.name.localeCompare(b.p.name, "en", { numeric: true })).map(({ i }) => i);
}

// Where everything stands, for a canvas of this width.
function layoutOf(run, width) {
  const narrow = width < NARROW;
  const layout = { width, narrow, gutter: narrow ? 44 : 118, right: 12, axis: 26 };
  const order = laneOrder(run);
  const step = order.length > 24 ? 22 : narrow ? 34 : 42;
  let y = layout.axis + step * 0.55;
  layout.lanes = new Map();
  for (const process of order) {
    layout.lanes.set(process, y);
    y += step;
  }
  y -= step * 0.3;
  layout.groups = [...run.groups.keys()].map(name => {
    const row = { name, y, height: 18 };
    y += 24;
    return row;
  });
  layout.lanesEnd = y;
  layout.partitions = [];
  for (const { name } of layout.groups) y = addPartitions(run, layout, name, y);
  layout.height = Math.ceil(y + 6);
  return layout;
}

// The rows of a group's partitions, those of a topic together; gives where the next ones begin.
function addPartitions(run, layout, group, y) {
  const partitions = partitionsOf(run, group);
  const height = partitions.length > 40 ? 8 : 17;
  let topic = null;
  let first = layout.groups.length > 1;
  for (const partition of partitions) {
    if (run.partitions[partition].topic !== topic) y += 5;
    topic = run.partitions[partition].topic;
    layout.partitions.push({ group, partition, y, height, spans: spansIn(run, group, partition), first });
    first = false;
    y += height + 3;
  }
  return partitions.length && layout.groups.length > 1 ? y + 6 : y;
}

// Ticks from one number of an axis to the next.
function gridStep(perTick) {
  for (let unit = 1; ; unit *= 10) {
    for (const step of [1, 2, 5]) if (step * unit * perTick >= 56) return step * unit;
  }
}

class Picture {
  constructor(number) {
    this.number = number;
    this.run = runs[number];
    this.canvas = byId("picture-" + number);
    this.overlay = byId("overlay-" + number);
    this.segments = [];  // what was drawn, to be found by the pointer
    this.hover = null;
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth;
    this.layout = layoutOf(this.run, width);
    for (const canvas of [this.canvas, this.overlay]) {
      const scale = window.devicePixelRatio || 1;
      canvas.style.width = width + "px";
      canvas.style.height = this.layout.height + "px";
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(this.layout.height * scale);
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.canvas.parentElement.style.height = this.layout.height + "px";
  }

  get plotWidth() { return this.layout.width - this.layout.gutter - this.layout.right; }
  get perTick() { return this.plotWidth / (app.view.to - app.view.from); }
  x(tick) { return this.layout.gutter + (tick - app.view.from) * this.perTick; }
  tickAt(x) { return app.view.from + (x - this.layout.gutter) / this.perTick; }

  draw() {
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, this.layout.width, this.layout.height);
    pen.save();
    this.clip(pen);
    this.drawBands(pen);
    this.drawGrid(pen);
    this.drawLives(pen);
    drawArrows(this, pen);
    this.drawEnds(pen);
    drawGroups(this, pen);
    drawPartitions(this, pen);
    pen.restore();
    this.drawAxis(pen);
    this.drawNames(pen);
    this.drawOverlay();
  }

  clip(pen) {
    pen.beginPath();
    pen.rect(this.layout.gutter - 1, 0, this.plotWidth + 2 + this.layout.right, this.layout.height);
    pen.clip();
  }

  inView(from, to) { return to >= app.view.from && from <= app.view.to; }

  // Rebalances, from PreparingRebalance until there is nothing left to hand over.
  drawBands(pen) {
    pen.fillStyle = palette.band;
    for (const one of this.run.raw.rebalances) {
      const to = one.to ?? this.run.lastTick;
      if (!this.inView(one.from, to)) continue;
      const x = this.x(one.from);
      pen.fillRect(x, this.layout.axis, Math.max(this.x(to) - x, 1.5), this.layout.height);
    }
    const end = this.x(this.run.lastTick + 1);
    pen.fillStyle = hatch(pen, palette.line, 9);
    pen.fillRect(end, this.layout.axis, Math.max(this.layout.width - end, 0), this.layout.height);
  }

  drawGrid(pen) {
    const step = gridStep(this.perTick);
    pen.strokeStyle = palette.line;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let tick = Math.ceil(app.view.from / step) * step; tick <= app.view.to; tick += step) {
      const x = Math.round(this.x(tick)) + 0.5;
      pen.moveTo(x, this.layout.axis);
      pen.lineTo(x, this.layout.height);
    }
    pen.stroke();
  }

  drawAxis(pen) {
    const step = gridStep(this.perTick);
    pen.font = `11px ${palette.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    pen.fillStyle = palette.soft;
    for (let tick = Math.ceil(app.view.from / step) * step; tick <= app.view.to; tick += step) {
      const x = this.x(tick);
      if (x < this.layout.gutter - 1 || x > this.layout.width - 8) continue;
      pen.fillText(String(tick), x, this.layout.axis / 2);
    }
    pen.textAlign = "left";
    pen.fillText("tick", 4, this.layout.axis / 2);
  }

  drawNames(pen) {
    const { lanes, groups, partitions, gutter, narrow } = this.layout;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const [process, y] of lanes) {
      const one = this.run.processes[process];
      const owner = owners.has(one.name) && placeOf(one) === "member";
      pen.fillStyle = owner ? ownerColour(this.run, process) : palette.faint;
      pen.beginPath();
      pen.arc(10, y, owner ? 5 : 3.5, 0, 7);
      pen.fill();
      pen.fillStyle = palette.ink;
      pen.font = `600 13px ${palette.font}`;
      pen.fillText(one.name, 20, y, gutter - 22);
      if (narrow) continue;
      // A start at the first tick has its ring on the edge: the word stays clear of it, or away.
      const at = Math.max(44, 27 + pen.measureText(one.name).width);
      pen.fillStyle = palette.soft;
      pen.font = `12px ${palette.font}`;
      if (at + pen.measureText(one.role).width <= gutter - 9) pen.fillText(one.role, at, y + 0.5);
    }
    pen.font = `11px ${palette.font}`;
    pen.fillStyle = palette.soft;
    for (const row of groups) pen.fillText(row.name, 5, row.y + row.height / 2, gutter - 10);
    for (const row of partitions) {
      if (row.height < 10) continue;
      pen.fillStyle = palette.ink;
      const name = this.run.partitions[row.partition].name;
      pen.fillText(row.first ? `${row.group} ${name}` : name, row.first ? 5 : 20, row.y + row.height / 2 + 0.5, gutter - (row.first ? 9 : 24));
    }
  }

  drawLives(pen) {
    const { lanes } = this.layout;
    for (const life of this.run.lives) {
      const y = lanes.get(life.process);
      const end = life.to ?? this.run.lastTick + 1;
      if (!this.inView(life.from, end)) continue;
      const place = placeOf(this.run.processes[life.process]);
      pen.strokeStyle = place === "member" ? ownerColour(this.run, life.process) : palette.faint;
      pen.lineWidth = place === "broker" ? 3 : 2;
      pen.beginPath();
      pen.moveTo(this.x(life.from), y);
      pen.lineTo(this.x(end), y);
      pen.stroke();
    }
    this.drawWork(pen);
    for (const stop of this.run.stops) {
      const to = stop.to ?? this.run.lastTick + 1;
      if (!this.inView(stop.from, to)) continue;
      const y = lanes.get(stop.process);
      const x = this.x(stop.from);
      const width = Math.max(this.x(to) - x, 3);
      pen.fillStyle = palette.panel;
      pen.fillRect(x, y - 8, width, 16);
      pen.fillStyle = hatch(pen, palette.stop, 5);
      pen.fillRect(x, y - 8, width, 16);
      pen.strokeStyle = palette.stop;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y - 7.5, width - 1, 15);
      if (width > 62) this.tag(pen, "stopped", x + width / 2, y, palette.stop);
    }
  }

  // A thicker lane: its application is busy with a record.
  drawWork(pen) {
    const { run } = this;
    const { lanes } = this.layout;
    const until = countUpTo(run.workTicks, Math.ceil(app.view.to));
    const longest = run.longestWork ??= run.works.reduce((most, one) => Math.max(most, one.until - one.tick), 1);
    const first = countUpTo(run.workTicks, Math.floor(app.view.from) - longest - 1);
    for (let at = first; at < until; ++at) {
      const one = run.works[at];
      const x = this.x(one.tick);
      const end = one.until >= 0 ? one.until : this.endOfLife(one.process, one.tick);
      pen.fillStyle = ownerColour(run, one.process);
      pen.fillRect(x, lanes.get(one.process) - 3.5, Math.max(this.x(end) - x - (this.perTick > 5 ? 1 : 0), 1), 7);
    }
  }

  endOfLife(process, tick) {
    const life = this.run.lives.find(one => one.process === process && (one.to === null || one.to >= tick));
    return life?.to ?? this.run.lastTick + 1;
  }

  tag(pen, text, x, y, colour) {
    pen.font = `600 10.5px ${palette.font}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const width = pen.measureText(text).width + 8;
    pen.fillStyle = palette.panel;
    pen.fillRect(x - width / 2, y - 7, width, 14);
    pen.fillStyle = colour;
    pen.fillText(text, x, y + 0.5);
  }

  // Starts are rings, kills are crosses, and who ended by itself has a bar.
  drawEnds(pen) {
    const { lanes } = this.layout;
    for (const life of this.run.lives) {
      const y = lanes.get(life.process);
      const x = this.x(life.from);
      pen.lineWidth = 2;
      pen.strokeStyle = palette.ink;
      pen.fillStyle = palette.panel;
      pen.beginPath();
      pen.arc(x, y, 3.5, 0, 7);
      pen.fill();
      pen.stroke();
      if (life.to === null) continue;
      const end = this.x(life.to);
      pen.beginPath();
      if (life.end === "killed") {
        pen.strokeStyle = palette.error;
        pen.lineWidth = 3;
        pen.moveTo(end - 6, y - 6); pen.lineTo(end + 6, y + 6);
        pen.moveTo(end + 6, y - 6); pen.lineTo(end - 6, y + 6);
      } else {
        pen.moveTo(end, y - 6); pen.lineTo(end, y + 6);
      }
      pen.stroke();
    }
  }

  drawOverlay() {
    const pen = this.overlay.getContext("2d");
    pen.clearRect(0, 0, this.layout.width, this.layout.height);
    pen.save();
    this.clip(pen);
    const x = this.x(app.tick);
    pen.fillStyle = palette.cursor;
    pen.globalAlpha = 0.12;
    pen.fillRect(x, this.layout.axis, Math.max(this.perTick, 2), this.layout.height);
    pen.globalAlpha = 1;
    pen.strokeStyle = palette.cursor;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, this.layout.axis - 4);
    pen.lineTo(x, this.layout.height);
    pen.stroke();
    drawChosen(this, pen);
    pen.restore();
    this.drawFlag(pen, x);
  }

  drawFlag(pen, x) {
    if (x < this.layout.gutter - 1 || x > this.layout.width) return;
    const text = String(app.tick);
    pen.font = `600 12px ${palette.font}`;
    const width = Math.max(pen.measureText(text).width + 12, 26);
    const left = clamp(x - width / 2, this.layout.gutter - 8, this.layout.width - width - 1);
    pen.fillStyle = palette.cursor;
    pen.beginPath();
    pen.roundRect(left, 3, width, 19, 5);
    pen.fill();
    pen.fillStyle = palette["on-owner"];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, left + width / 2, 13);
  }
}
