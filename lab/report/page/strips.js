// Below the lanes, in the same time: what state each group is in, and who owns each partition.

const STATE_WORDS = {
  PreparingRebalance: "Preparing", CompletingRebalance: "Completing", Stable: "Stable", Empty: "Empty",
  Dead: "Dead",
};

// The spans of a series: each value with where it ends.
function* spansOf(series, lastTick) {
  for (let i = 0; i < series.ticks.length; ++i) {
    const to = i + 1 < series.ticks.length ? series.ticks[i + 1] : lastTick + 1;
    if (to > series.ticks[i]) yield { from: series.ticks[i], to, value: series.values[i] };
  }
}

function label(pen, text, x, width, y, colour) {
  if (pen.measureText(text).width > width - 8) return false;
  pen.fillStyle = colour;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(text, x + 5, y);
  return true;
}

function drawGroups(picture, pen) {
  pen.font = `11px ${palette.font}`;
  for (const row of picture.layout.groups) {
    for (const span of spansOf(picture.run.groups.get(row.name), picture.run.lastTick)) {
      if (!picture.inView(span.from, span.to)) continue;
      const x = picture.x(span.from);
      const width = Math.max(picture.x(span.to) - x - 1, 1.5);
      pen.fillStyle = palette.states[span.value.state] ?? palette.track;
      pen.beginPath();
      pen.roundRect(x, row.y, width, row.height, 3);
      pen.fill();
      const word = STATE_WORDS[span.value.state] ?? span.value.state;
      const left = Math.max(x, picture.layout.gutter);
      const room = x + width - left;
      const y = row.y + row.height / 2 + 0.5;
      const generation = span.value.state === "Stable" ? ` · generation ${span.value.generation}` : "";
      if (!label(pen, word + generation, left, room, y, palette.ink)) {
        label(pen, span.value.state === "Stable" ? String(span.value.generation) : "", left, room, y, palette.ink);
      }
    }
  }
}

// Who owned a partition, and when it was paused, in one group.
function spansIn(run, group, partition) {
  if (!run.spans) {
    run.spans = new Map();
    const of = (name, where) => {
      const key = name + "\n" + where;
      if (!run.spans.has(key)) run.spans.set(key, { owners: [], pauses: [] });
      return run.spans.get(key);
    };
    for (const one of run.owners) of(one.group, one.partition).owners.push(one);
    for (const one of run.pauses) of(run.raw.rebalances[one.rebalance].group, one.partition).pauses.push(one);
  }
  return run.spans.get(group + "\n" + partition) ?? { owners: [], pauses: [] };
}

// The partitions that a group ever owned, by topic and number.
function partitionsOf(run, group) {
  return run.partitions.map((_, i) => i).filter(i => spansIn(run, group, i).owners.length > 0);
}

const endOf = (run, one) => one.to ?? run.lastTick + 1;

// Whoever was evicted and does not know it is a zombie from then on.
const ownsUntil = (run, one) => (one.evicted === null ? endOf(run, one) : Math.min(one.evicted, endOf(run, one)));

// What a zombie believes: a line along the row.
function drawZombie(picture, pen, row, one) {
  const from = picture.x(ownsUntil(picture.run, one));
  const to = picture.x(endOf(picture.run, one));
  if (to <= from) return;
  pen.strokeStyle = palette.panel;
  pen.lineWidth = 5;
  pen.beginPath();
  pen.moveTo(from, row.y + row.height / 2);
  pen.lineTo(to, row.y + row.height / 2);
  pen.stroke();
  pen.strokeStyle = ownerColour(picture.run, one.process);
  pen.lineWidth = 3;
  pen.setLineDash([5, 3]);
  pen.stroke();
  pen.setLineDash([]);
}

function drawOwner(picture, pen, row, one) {
  const { run } = picture;
  const end = endOf(run, one);
  const until = ownsUntil(run, one);
  const colour = ownerColour(run, one.process);
  const x = picture.x(one.from);
  const width = Math.max(picture.x(until) - x, 1);
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, row.y, width, row.height, 3);
  pen.fill();
  // A pause covers what it interrupts.
  const covered = row.spans.pauses.find(pause => pause.from <= one.from && (pause.to ?? end) > one.from);
  const left = Math.max(covered ? picture.x(covered.to ?? end) : x, picture.layout.gutter);
  if (row.height >= 12) {
    pen.font = `600 11px ${palette.font}`;
    label(pen, run.processes[one.process].name, left, x + width - left, row.y + row.height / 2 + 0.5,
          palette["on-owner"]);
  }
}

// Who died was killed in the tick after the last one of its life.
const PAUSE_WORDS = {
  revoked: who => `revoked by ${who}`,
  lost: who => `lost by ${who}`,
  removed: who => `${who} was removed from the group`,
  fenced: who => `${who} was fenced`,
  died: who => `${who} died; paused from the last tick of its life`,
};

function pauseWords({ why, before }) {
  return PAUSE_WORDS[why]?.(before || "its owner") ?? why;
}

function drawPause(picture, pen, row, one) {
  const end = one.to ?? picture.run.lastTick + 1;
  const x = picture.x(one.from);
  const width = Math.max(picture.x(end) - x, 2);
  pen.fillStyle = palette.panel;
  pen.fillRect(x, row.y, width, row.height);
  pen.fillStyle = hatch(pen, palette.pause, 6);
  pen.fillRect(x, row.y, width, row.height);
  pen.strokeStyle = palette.pause;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, row.y + 0.5, width - 1, row.height - 1);
}

function drawPartitions(picture, pen) {
  const { run } = picture;
  for (const row of picture.layout.partitions) {
    pen.fillStyle = palette.track;
    pen.fillRect(picture.x(0), row.y, picture.x(run.lastTick + 1) - picture.x(0), row.height);
    for (const one of row.spans.owners) {
      if (picture.inView(one.from, one.to ?? run.lastTick + 1)) drawOwner(picture, pen, row, one);
    }
    for (const one of row.spans.pauses) {
      if (picture.inView(one.from, one.to ?? run.lastTick + 1)) drawPause(picture, pen, row, one);
    }
    for (const one of row.spans.owners) drawZombie(picture, pen, row, one);
  }
}
