// The whole run at a glance: how much went over the wire, rebalances, errors; and a window that
// shows which part the picture has.

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
    this.height = 40;
    for (const canvas of [this.canvas, this.ground]) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(this.height * scale);
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.paintGround();
  }

  x(tick) { return tick / (lastTick + 1) * this.width; }

  paintGround() {
    const pen = this.ground.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    pen.fillStyle = palette.band;
    for (const one of this.run.raw.rebalances) {
      const x = this.x(one.from);
      pen.fillRect(x, 0, Math.max(this.x(one.to ?? this.run.lastTick) - x, 2), this.height);
    }
    const bins = Math.max(Math.floor(this.width / 2), 1);
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
    let most = 1;
    for (const count of counts) most = Math.max(most, count);
    for (let bin = 0; bin < bins; ++bin) {
      if (!counts[bin]) continue;
      const height = Math.max(Math.sqrt(counts[bin] / most) * (this.height - 10), 1.5);
      pen.fillStyle = palette.soft;
      pen.globalAlpha = 0.55;
      pen.fillRect(bin * 2, this.height - height, 1.4, height);
      pen.globalAlpha = 1;
      if (errors[bin]) { pen.fillStyle = palette.error; pen.fillRect(bin * 2 - 1, 1, 3, 5); }
    }
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    pen.drawImage(this.ground, 0, 0, this.width, this.height);
    const from = this.x(app.view.from);
    const to = this.x(app.view.to);
    pen.fillStyle = palette.panel;
    pen.globalAlpha = 0.6;
    pen.fillRect(0, 0, from, this.height);
    pen.fillRect(to, 0, this.width - to, this.height);
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
    const tickOf = event => (event.clientX - this.canvas.getBoundingClientRect().left) / this.width * (lastTick + 1);
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
