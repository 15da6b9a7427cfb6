// Numbers and names as a person reads them.
//
// Names come from a file and may be hostile: showable() replaces characters
// that could reorder a line or be invisible. All text goes to the page as text,
// never as HTML.

// Controls, marks of bidirectional text, invisible characters; the same as in
// util/text/safe_text.cc, and joiners.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]/g;

export function showable(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.charCodeAt(0).toString(16).toUpperCase();
    return `\u2039U+${code.padStart(4, "0")}\u203a`;
  });
}

// The same for text with several lines.
export function showableLines(text: string): string {
  return text.split("\n").map(showable).join("\n");
}

// Words with which messages of the program begin. Others may be names, which
// stay as they are: "cpu:0", "train.py", "copy".
const FIRST =
  /^(all|an?|communication|kernels|most|no|nothing|operations|ranks?|steps?|the|there|this|top|work) /;

// A message of the program at the beginning of a sentence.
export function sentence(text: string): string {
  return FIRST.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

// The units of sentences that the program writes, as the pages write them.
const UNITS: Record<string, string> = { us: "µs", sec: "s" };
const MEASURE =
  /(?<![\w.:/])([+-]?\d[\d,]*(?:\.\d+)?)(ns|us|ms|sec|min|[KMGT]?B|%)(?!\w)/g;

// A text of the page, of which no line ends between a number and its unit.
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=([nmµ]?s|[KMGT]?B|%)(?!\w))/g, "$1\u00a0");
}

// A sentence of the program, with numbers like those beside it: "24.16ms" is
// "24.16 ms", and "173us" is "173 µs". No line ends between a number and its unit.
export function readable(text: string): string {
  return showableLines(text)
    .replace(
      MEASURE,
      (_, number: string, unit: string) =>
        `${number}\u00a0${UNITS[unit] ?? unit}`,
    )
    .replace(/ -> (?=[+-]?\d)/g, " → ");
}

// Made once, because toLocaleString makes one for each number.
const formats = Array.from(
  { length: 10 },
  (_, places) =>
    new Intl.NumberFormat("en-US", {
      minimumFractionDigits: places,
      maximumFractionDigits: places,
    }),
);
const whole = new Intl.NumberFormat("en-US");

// toFixed() rounds the double, as the terminal does: 24.165 is 24.16.
function digits(value: number, places: number): string {
  const rounded = Number(value.toFixed(places));
  return formats[places].format(rounded === 0 ? 0 : rounded); // no "-0"
}

// "1.23 ms", with the digits that the terminal prints; `perMicro` is the number
// of ticks in a microsecond.
export function time(ticks: number, perMicro: number): string {
  const nanos = (ticks * 1000) / perMicro;
  const size = Math.abs(nanos);
  if (size === 0) return "0";
  if (size < 1) return `${digits(nanos * 1000, 0)} ps`;
  if (size < 1e3) return `${digits(nanos, Number.isInteger(nanos) ? 0 : 1)} ns`;
  if (size < 1e6)
    return `${digits(nanos / 1e3, Number.isInteger(nanos / 1e3) ? 0 : 2)} µs`;
  if (size < 1e9) return `${digits(nanos / 1e6, 2)} ms`;
  return `${digits(nanos / 1e9, 2)} s`;
}

// The same of microseconds, which may be 0 and never become nanoseconds.
export function micros(value: number): string {
  return Math.abs(value) < 1
    ? `${digits(value, value === 0 ? 0 : 2)} µs`
    : time(value, 1);
}

// All digits, in nanoseconds: "12,345.678 ns".
export function exactNanos(ticks: number, perMicro: number): string {
  if (perMicro <= 1000) {
    // A product above 2^53 would lose digits.
    const nanos = BigInt(ticks) * BigInt(1000 / perMicro);
    return `${nanos.toLocaleString("en-US")} ns`;
  }
  const scale = perMicro / 1000;
  const full = Math.floor(ticks / scale);
  const rest = ticks - full * scale;
  const places = Math.round(Math.log10(scale));
  const fraction = String(rest).padStart(places, "0").replace(/0+$/, "");
  return `${whole.format(full)}${fraction ? "." + fraction : ""} ns`;
}

// The label of an axis whose marks are `step` ticks apart.
export function axisTime(ticks: number, step: number, perMicro: number) {
  const units: Array<[string, number]> = [
    ["s", 1e9],
    ["ms", 1e6],
    ["µs", 1e3],
    ["ns", 1],
    ["ps", 1e-3],
  ];
  const nanos = (ticks * 1000) / perMicro;
  const stepNanos = (step * 1000) / perMicro;
  const [unit, size] =
    units.find((u) => Math.max(Math.abs(nanos), stepNanos) >= u[1]) ?? units[4];
  const places = Math.max(0, Math.ceil(-Math.log10(stepNanos / size) - 1e-9));
  return `${digits(nanos / size, Math.min(places, 9))} ${unit}`;
}

export function count(value: number): string {
  return whole.format(value);
}

// "1 step", "12 steps".
export function counted(value: number, one: string): string {
  return `${count(value)} ${one}${value === 1 ? "" : "s"}`;
}

// "196.61 KB", "3.35 GB": decimal, with the digits that the terminal prints.
export function bytes(value: number): string {
  const size = Math.abs(value);
  if (size < 1e3) return `${count(value)} B`;
  if (size < 1e6) return `${digits(value / 1e3, 2)} KB`;
  if (size < 1e9) return `${digits(value / 1e6, 2)} MB`;
  if (size < 1e12) return `${digits(value / 1e9, 2)} GB`;
  return `${digits(value / 1e12, 2)} TB`;
}

export function amount(value: number, unit: string): string {
  if (unit === "bytes") return bytes(value);
  return `${digits(value, Number.isInteger(value) ? 0 : 2)} ${unit}`.trim();
}

// Bytes per second; "" if a number is unknown.
export function rate(moved: number, ticks: number, perMicro: number): string {
  if (moved < 0 || ticks <= 0) return "";
  return perSecond(moved / (ticks / perMicro / 1e6), "B");
}

// "4.10 GB/s", "282.70 GFLOP/s". Thousands of bytes are KB, as in sizes.
export function perSecond(value: number, unit: string): string {
  const prefixes = ["", unit === "B" ? "K" : "k", "M", "G", "T", "P"];
  let prefix = 0;
  let scaled = value;
  while (scaled >= 1000 && prefix < prefixes.length - 1) {
    scaled /= 1000;
    ++prefix;
  }
  return `${digits(scaled, 2)} ${prefixes[prefix]}${unit}/s`;
}

export function share(part: number, whole: number): string {
  if (whole <= 0) return "";
  return `${digits((100 * part) / whole, 1)} %`;
}

// Parses "10us", "1.5 ms" or "2000" (nanoseconds) to ticks; undefined if it is
// no duration.
export function parseTime(text: string, perMicro: number): number | undefined {
  const match = /^\s*([0-9]*\.?[0-9]+)\s*(ps|ns|us|µs|ms|s)?\s*$/.exec(text);
  if (!match) return undefined;
  const unit = match[2] ?? "ns";
  const micros: Record<string, number> = {
    ps: 1e-6,
    ns: 1e-3,
    us: 1,
    µs: 1,
    ms: 1e3,
    s: 1e6,
  };
  return Number(match[1]) * micros[unit] * perMicro;
}
