// Reads the bytes of a frame's payload by the messages that stand in the page.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// The page's data; that of long runs is compressed.
async function dataText() {
  const { textContent, dataset } = document.getElementById("data");
  if (dataset.coding === "json") return textContent;
  const packed = new Blob([bytesOf(textContent)]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
}

class WireReader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  get done() { return this.at >= this.bytes.length; }
  varint() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.done) throw new RangeError("ends in a number");
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number is too long");
  }
  take(count) {
    if (this.at + count > this.bytes.length) throw new RangeError("ends in a field");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
  value(wireType) {
    if (wireType === 0) return this.varint();
    if (wireType === 1) return this.take(8);
    if (wireType === 2) return this.take(Number(this.varint()));
    if (wireType === 5) return this.take(4);
    throw new RangeError("unknown kind of field");
  }
}

const utf8 = new TextDecoder("utf-8");
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function hex(bytes) {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join(" ");
}

// Bytes that are a text are shown as one.
function bytesText(bytes) {
  try {
    const text = strictUtf8.decode(bytes);
    if (!/[\u0000-\u001f\u007f]/.test(text)) return JSON.stringify(text);
  } catch { /* no text */ }
  return hex(bytes);
}

function numberText(type, value) {
  if (type === "bool") return value ? "true" : "false";
  if (type === "int32" || type === "int64") return BigInt.asIntN(64, value).toString();
  return value.toString();
}

function fixedText(bytes) {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; --i) value = (value << 8n) | BigInt(bytes[i]);
  return value.toString();
}

// A list of {name, text} and {name, type, fields}.
function decodeMessage(type, bytes) {
  const known = page.messages[type] ?? {};
  const reader = new WireReader(bytes);
  const fields = [];
  try {
    while (!reader.done) {
      const tag = Number(reader.varint());
      const [name, kind, inner] = known[tag >> 3] ?? ["field " + (tag >> 3), "?", "", false];
      const value = reader.value(tag & 7);
      if (inner && value instanceof Uint8Array) {
        fields.push({ name, type: inner, fields: decodeMessage(inner, value) });
      } else if (typeof value === "bigint") {
        const text = numberText(kind, value);
        const error = name === "error_code" && page.errors[text];
        fields.push({ name, text: error ? `${text} (${error})` : text });
      } else if (kind === "string") {
        fields.push({ name, text: JSON.stringify(utf8.decode(value)) });
      } else {
        fields.push({ name, text: kind.includes("fixed") ? fixedText(value) : bytesText(value) });
      }
    }
  } catch (problem) {
    fields.push({ name: "malformed", text: problem.message });
  }
  return fields;
}

function decodePacket(run, i) {
  const packets = run.packets;
  const name = number => run.processes[number]?.name ?? "?";
  const header = [
    { name: "source", text: JSON.stringify(name(packets.from[i])) },
    { name: "destination", text: JSON.stringify(name(packets.to[i])) },
    { name: "correlation_id", text: String(packets.correlation(i)) },
  ];
  if (packets.client(i)) header.push({ name: "client_id", text: JSON.stringify(packets.client(i)) });
  const payload = decodeMessage("Frame", bytesOf(packets.payload(i)));
  return [{ name: "header", type: "Header", fields: header }, ...payload];
}
