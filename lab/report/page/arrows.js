// Packets as arrows from (sender, tick) to (receiver, tick of arrival). What is not in sight is not
// drawn, and where there is no room for all, those that tell least are left out first.

const ARROWS_MAX = 5000;

// How much an arrow tells, by rank: 0 is least.
const RANK_OF_KIND = [5, 0, 3, 1, 4, 2];
const RANK_WORDS = ["heartbeats", "records", "metadata", "offsets", "transactions", "group protocol"];
const rankOf = (packets, i) => (packets.quiet[i] ? 0 : RANK_OF_KIND[packets.kind[i]]);

// Packets that may be seen: sent in the view, or on their way when it begins.
function candidates(picture) {
  const { packets } = picture.run;
  const slack = 3;
  const from = countUpTo(packets.tick, Math.floor(app.view.from) - 1 - slack);
  const to = countUpTo(packets.tick, Math.ceil(app.view.to));
  return { from, to };
}

// The least rank that there is room for; errors always have it.
function rankThatFits(picture, range) {
  const { packets } = picture.run;
  const flags = app.flags[picture.number];
  const counts = new Array(RANK_WORDS.length).fill(0);
  for (let i = range.from; i < range.to; ++i) if (flags[i]) ++counts[rankOf(packets, i)];
  let total = counts.reduce((sum, count) => sum + count, 0);
  let rank = 0;
  while (total > ARROWS_MAX && rank < counts.length - 1) total -= counts[rank++];
  picture.leftOut = RANK_WORDS.filter((_, at) => at < rank && counts[at]);
  return rank;
}

function segmentOf(picture, i) {
  const { packets } = picture.run;
  const { lanes } = picture.layout;
  const shift = packets.slot[i] * 0.13;
  const lost = packets.arrival[i] < 0;
  const end = lost ? packets.tick[i] + 1 : packets.arrival[i];
  const y0 = lanes.get(packets.from[i]);
  const y1 = lanes.get(packets.to[i]);
  const segment = {
    i, lost, x0: picture.x(packets.tick[i] + shift), y0, x1: picture.x(end + shift), y1,
  };
  if (lost) {
    segment.x1 = (segment.x0 + segment.x1) / 2;
    segment.y1 = (y0 + y1) / 2;
  }
  return segment;
}

function strokeOf(run, i, crowded) {
  const { kind, error } = run.packets;
  if (error[i] === 2) return { alpha: 1, width: 2, colour: palette.error };
  const colour = error[i] === 1 ? palette.kinds[0] : palette.kinds[kind[i]];
  if (run.packets.quiet[i]) return { alpha: crowded ? 0.16 : 0.34, width: 0.8, colour };
  if (kind[i] === 3 || kind[i] === 5) return { alpha: crowded ? 0.5 : 0.75, width: 1, colour };
  return { alpha: 0.95, width: 1.6, colour };
}

function head(pen, segment, size) {
  const angle = Math.atan2(segment.y1 - segment.y0, segment.x1 - segment.x0);
  pen.beginPath();
  pen.moveTo(segment.x1, segment.y1);
  for (const side of [-0.38, 0.38]) {
    pen.lineTo(segment.x1 - size * Math.cos(angle + side), segment.y1 - size * Math.sin(angle + side));
  }
  pen.fill();
}

function cross(pen, segment, size) {
  pen.beginPath();
  pen.moveTo(segment.x1 - size, segment.y1 - size); pen.lineTo(segment.x1 + size, segment.y1 + size);
  pen.moveTo(segment.x1 + size, segment.y1 - size); pen.lineTo(segment.x1 - size, segment.y1 + size);
  pen.stroke();
}

function drawSegment(pen, segment, stroke, heads) {
  pen.globalAlpha = stroke.alpha;
  pen.strokeStyle = pen.fillStyle = segment.lost ? palette.error : stroke.colour;
  pen.lineWidth = stroke.width;
  pen.beginPath();
  pen.moveTo(segment.x0, segment.y0);
  pen.lineTo(segment.x1, segment.y1);
  pen.stroke();
  if (segment.lost) { pen.lineWidth = 2; cross(pen, segment, 4); }
  else if (heads) head(pen, segment, stroke.width > 1.2 ? 7 : 5);
}

function drawArrows(picture, pen) {
  const { run, number } = picture;
  const flags = app.flags[number];
  const range = candidates(picture);
  const least = rankThatFits(picture, range);
  const layers = [[], [], []];  // what matters most comes last, on top
  for (let i = range.from; i < range.to; ++i) {
    if (!flags[i]) continue;
    const error = run.packets.error[i];
    const lost = run.packets.arrival[i] < 0;
    const rank = rankOf(run.packets, i);
    if (rank < least && !error && !lost) continue;
    layers[error === 2 || lost ? 2 : rank >= 3 ? 1 : 0].push(i);
  }
  picture.segments = [];
  const heads = picture.perTick >= 5;
  for (const layer of layers) {
    // Beyond what can be told apart every nth stands for its neighbours.
    const every = Math.max(1, Math.ceil(layer.length / ARROWS_MAX));
    for (let at = 0; at < layer.length; at += every) {
      const segment = segmentOf(picture, layer[at]);
      if (segment.y0 === undefined || segment.y1 === undefined) continue;
      drawSegment(pen, segment, strokeOf(run, layer[at], picture.perTick < 11), heads);
      picture.segments.push(segment);
    }
  }
  pen.globalAlpha = 1;
  app.drawn = pictures.reduce((sum, one) => sum + one.segments.length, 0);
}

// The chosen packet and the chain that led to it, over everything else.
function drawChosen(picture, pen) {
  const { run } = picture;
  const chosen = app.selected && app.selected.run === picture.number ? app.selected.entry : -1;
  let entry = chosen;
  for (let link = 0; entry >= 0 && link < 200; ++link) {
    const i = run.entries.packet[entry];
    const tick = run.entries.tick[entry];
    if (i >= 0) {
      const segment = segmentOf(picture, i);
      const colour = link === 0 ? palette.ink : kindColour(run, i);
      drawSegment(pen, segment, { alpha: link === 0 ? 1 : 0.9, width: link === 0 ? 3.5 : 2.5, colour }, true);
    } else {
      const y = picture.layout.lanes.get(run.entries.process[entry]);
      if (y !== undefined && run.entries.what[entry] !== WHAT.fired) {
        pen.fillStyle = palette.accent;
        pen.beginPath();
        pen.arc(picture.x(tick), y, link === 0 ? 6 : 4, 0, 7);
        pen.fill();
      }
    }
    entry = run.entries.cause[entry];
  }
  if (picture.hover) {
    drawSegment(pen, picture.hover, { alpha: 1, width: 2.5, colour: palette.ink }, true);
  }
  pen.globalAlpha = 1;
}
