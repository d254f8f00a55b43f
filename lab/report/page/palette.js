// Colours, as the style sheet has them for the theme. Owners have colours that people with any kind
// of colour vision tell apart (after Okabe and Ito), and their names stand on them all the same.

const palette = {};
const OWNER_COLOURS = 8;

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const read = name => style.getPropertyValue("--" + name).trim();
  for (const name of ["ink", "soft", "faint", "line", "panel", "track", "accent", "error", "pause",
                      "band", "stop", "cursor", "on-owner"]) {
    palette[name] = read(name);
  }
  palette.kinds = KINDS.map(kind => read("kind-" + kind));
  palette.owners = Array.from({ length: OWNER_COLOURS }, (_, i) => read("owner-" + i));
  palette.states = {
    Stable: read("state-stable"), PreparingRebalance: read("state-preparing"),
    CompletingRebalance: read("state-completing"), Empty: read("state-empty"),
    Dead: read("state-empty"),
  };
  palette.font = read("font");
  hatches.clear();
}

// Members of groups, in the order of their names, so that C1 looks the same in two runs.
function ownerNumbers() {
  const names = new Set();
  for (const run of runs) {
    for (const one of run.processes) if (one.group) names.add(one.name);
  }
  const sorted = [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return new Map(sorted.map((name, i) => [name, i % OWNER_COLOURS]));
}

const owners = ownerNumbers();

function ownerColour(run, process) {
  const name = run.processes[process]?.name;
  return owners.has(name) ? palette.owners[owners.get(name)] : palette.soft;
}

function kindColour(run, i) {
  return run.packets.error[i] === 2 ? palette.error : palette.kinds[run.packets.kind[i]];
}

const hatches = new Map();

// Diagonal lines in a colour, as a pattern.
function hatch(context, colour, gap = 6) {
  const key = colour + gap;
  if (hatches.has(key)) return hatches.get(key);
  const tile = document.createElement("canvas");
  const scale = window.devicePixelRatio || 1;
  tile.width = tile.height = Math.round(gap * scale);
  const pen = tile.getContext("2d");
  pen.scale(tile.width / gap, tile.height / gap);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.3;
  pen.beginPath();
  for (const shift of [-gap, 0, gap]) {
    pen.moveTo(shift - 1, gap + 1);
    pen.lineTo(shift + gap + 1, -1);
  }
  pen.stroke();
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(gap / tile.width));
  hatches.set(key, pattern);
  return pattern;
}
