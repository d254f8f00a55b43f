// The whole run at a glance, with the edges of the picture below it: how much went over the wire,
// rebalances, errors; and a window that shows which part the picture has.

const MINIMAP = { height: 38, axis: 15 };

class Minimap {
  constructor(number) {
    this.number = number;
    this.run = runs[number];
    this.canvas = byId("minimap-" + number);
    this.ground = document.createElement("canvas");
    this.listen();
  }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.parentElement.clientWidth;
    this.height = MINIMAP.height;
    const { gutter, right, narrow } = pictures[this.number].layout;
    this.edge = { left: gutter, right, narrow };
    const whole = this.height + MINIMAP.axis;
    for (const canvas of [this.canvas, this.ground]) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(whole * scale);
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = whole + "px";
    this.paintGround();
  }

  get plotWidth() { return this.width - this.edge.left - this.edge.right; }
  get perTick() { return this.plotWidth / (lastTick + 1); }
  x(tick) { return this.edge.left + tick * this.perTick; }

  drawAxis(pen) {
    const { left, narrow } = this.edge;
    pen.font = `11px ${palette.font}`;
    pen.textBaseline = "middle";
    pen.fillStyle = palette.soft;
    pen.textAlign = "left";
    pen.fillText(narrow ? "all" : "whole run", 4, this.height / 2, left - 8);
    // The axis of the picture is the same one then.
    if (app.view.to - app.view.from >= lastTick + 1) return;
    pen.textAlign = "center";
    const step = gridStep(this.perTick);
    for (let tick = 0; tick <= lastTick; tick += step) {
      const x = this.x(tick);
      if (x > this.width - 8) break;
      pen.fillText(String(tick), x, this.height + MINIMAP.axis / 2 + 1);
    }
  }

  paintGround() {
    const pen = this.ground.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    pen.fillStyle = palette.track;
    pen.globalAlpha = 0.6;
    pen.fillRect(this.edge.left, 0, this.plotWidth, this.height);
    pen.globalAlpha = 1;
    pen.fillStyle = palette.band;
    for (const one of this.run.raw.rebalances) {
      const x = this.x(one.from);
      pen.fillRect(x, 0, Math.max(this.x(one.to ?? this.run.lastTick) - x, 2), this.height);
    }
    const bins = Math.max(Math.floor(this.plotWidth / 2), 1);
    const counts = new Float64Array(bins);
    const errors = new Uint8Array(bins);
    const flags = app.flags[this.number];
    const { packets } = this.run;
    for (let i = 0; i < packets.count; ++i) {
      if (!flags[i]) continue;
      const bin = Math.min(Math.floor(packets.tick[i] / (lastTick + 1) * bins), bins - 1);
      ++counts[bin];
      if (packets.error[i] === 2 || packets.arrival[i] < 0) errors[bin] = 1;
    }
    const { left } = this.edge;
    let most = 1;
    for (const count of counts) most = Math.max(most, count);
    for (let bin = 0; bin < bins; ++bin) {
      if (!counts[bin]) continue;
      const height = Math.max(Math.sqrt(counts[bin] / most) * (this.height - 10), 1.5);
      pen.fillStyle = palette.soft;
      pen.globalAlpha = 0.55;
      pen.fillRect(left + bin * 2, this.height - height, 1.4, height);
      pen.globalAlpha = 1;
      if (errors[bin]) { pen.fillStyle = palette.error; pen.fillRect(left + bin * 2 - 1, 1, 3, 5); }
    }
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    const whole = this.height + MINIMAP.axis;
    pen.clearRect(0, 0, this.width, whole);
    pen.drawImage(this.ground, 0, 0, this.width, whole);
    this.drawAxis(pen);
    const from = this.x(app.view.from);
    const to = this.x(app.view.to);
    pen.fillStyle = palette.panel;
    pen.globalAlpha = 0.6;
    pen.fillRect(this.edge.left, 0, from - this.edge.left, this.height);
    pen.fillRect(to, 0, this.x(lastTick + 1) - to, this.height);
    pen.globalAlpha = 1;
    pen.strokeStyle = palette.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(from + 0.75, 0.75, Math.max(to - from - 1.5, 6), this.height - 1.5, 5);
    pen.stroke();
    pen.fillStyle = palette.cursor;
    pen.fillRect(this.x(app.tick), 0, 2, this.height);
  }

  // A press outside the window moves it there; a drag moves it along.
  listen() {
    let grip = null;
    const tickOf = event => (event.clientX - this.canvas.getBoundingClientRect().left - this.edge.left) / this.perTick;
    this.canvas.addEventListener("pointerdown", event => {
      const { from, to } = app.view;
      const tick = tickOf(event);
      grip = tick >= from && tick <= to && to - from < lastTick + 1 ? tick - from : (to - from) / 2;
      this.canvas.setPointerCapture(event.pointerId);
      setView(tick - grip, tick - grip + to - from);
      setTick(tick, { follow: false });
    });
    this.canvas.addEventListener("pointermove", event => {
      if (grip === null) return;
      const start = tickOf(event) - grip;
      setView(start, start + app.view.to - app.view.from);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(end, () => { grip = null; });
    }
  }
}
