// Colours: by type, scope, device, kind or duration.
//
// The palette is Okabe and Ito's with shades of it, which people with any kind
// of colour vision can distinguish. Types and scopes get colours by their total
// time, the largest first, so that the same page always looks the same. The
// colour of a type is one of its kind of work: orange is communication, green
// copies, pink launches, in bars as in lines of devices.

import { time } from "../shared/format";
import { mix, pixel } from "../shared/pixels";
import { Kind } from "./decode";
import { Model } from "./model";
import { placedTotals } from "./sums";

export type ColorMode = "type" | "scope" | "device" | "kind" | "duration";
export const COLOR_MODES: ColorMode[] = [
  "type",
  "scope",
  "device",
  "kind",
  "duration",
];

const PALETTE = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#7a68c8",
  "#66c2a5",
  "#b2565d",
  "#8fb339",
  "#3f8fa8",
];
// The colours of types of each kind.
const KIND_PALETTES: Partial<Record<Kind, string[]>> = {
  compute: [
    "#0072b2",
    "#56b4e9",
    "#7a68c8",
    "#3f8fa8",
    "#f0e442",
    "#b2565d",
    "#9a6b3c",
    "#2f4b8f",
    "#b8a1e3",
  ],
  communication: ["#e69f00", "#d55e00"],
  copy: ["#009e73", "#66c2a5", "#8fb339"],
  launch: ["#cc79a7"],
};
const OTHER = "#8a94a3";
// Colours for durations, short to long: one hue range with ascending lightness.
const SCALE = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];

export const KIND_COLORS: Record<string, string> = {
  compute: "#0072b2",
  communication: "#e69f00",
  copy: "#009e73",
  launch: "#cc79a7",
  annotation: "#8a94a3",
  other: "#8a94a3",
};

export interface LegendItem {
  color: string;
  label: string;
  value: string;
  query: string; // a search for this colour; "": none
}

export class Colors {
  mode: ColorMode = "type";
  legend: LegendItem[] = [];
  private of: (event: number) => number = () => 0;

  constructor(private readonly model: Model) {
    this.set("type");
  }

  // True if the colours tell kinds of work apart.
  get areKinds(): boolean {
    return this.mode === "type" || this.mode === "kind";
  }

  color(event: number): number {
    return this.of(event);
  }

  set(mode: ColorMode) {
    this.mode = mode;
    const { model } = this;
    const { data } = model;
    if (mode === "duration") {
      this.byDuration();
      return;
    }
    if (mode === "device" || mode === "kind") {
      this.byLane(mode);
      return;
    }
    // The key of a scope is its first part below the parts that all scopes
    // share.
    const keyOf =
      mode === "type"
        ? (entry: number) => data.entryOp[entry]
        : scopeKeys(model);
    const size =
      mode === "type" ? data.strings.length : data.scopes.parent.length;
    // The largest first, wherever they ran; times of accelerators and of hosts
    // stay apart.
    const times = new Map<number, { accelerator: number; host: number }>();
    // The kind of the longest event where the type took most of its time.
    const kinds = new Map<number, { self: number; kind: Kind }>();
    for (const t of placedTotals(model, (e) => keyOf(data.entry[e]), size)) {
      const of = times.get(t.key) ?? { accelerator: 0, host: 0 };
      of[t.accelerator ? "accelerator" : "host"] += t.self;
      times.set(t.key, of);
      if (t.self > (kinds.get(t.key)?.self ?? -1)) {
        const { kind } = model.laneHead(t.longest);
        kinds.set(t.key, { self: t.self, kind });
      }
    }
    const order = [...times].sort(
      (a, b) =>
        b[1].accelerator + b[1].host - a[1].accelerator - a[1].host ||
        a[0] - b[0],
    );
    const value = ({
      accelerator,
      host,
    }: {
      accelerator: number;
      host: number;
    }) =>
      accelerator > 0 && host > 0
        ? `${time(accelerator, model.perMicro)} accelerator, ` +
          `${time(host, model.perMicro)} CPU`
        : time(accelerator + host, model.perMicro);
    const table = new Map<number, number>();
    const name = (key: number) =>
      mode === "type" ? model.text(key) : model.pathOf(key);
    const ranks = new Map<string[], number>(); // of the next one of a palette
    const rest = { accelerator: 0, host: 0 };
    let others = 0;
    this.legend = [];
    for (const [key, sums] of order) {
      const kind = mode === "type" ? kinds.get(key)?.kind : undefined;
      const palette = (kind && KIND_PALETTES[kind]) || PALETTE;
      const rank = ranks.get(palette) ?? 0;
      ranks.set(palette, rank + 1);
      const color = palette[rank % palette.length];
      // Further keys get shades of these colours.
      const shade = Math.floor(rank / palette.length);
      table.set(
        key,
        shade === 0
          ? pixel(color)
          : shade === 1
            ? mix(pixel(color), 0xffffffff, 0.62)
            : shade === 2
              ? mix(pixel(color), 0xff000000, 0.66)
              : shade === 3
                ? mix(pixel(color), 0xffffffff, 0.36)
                : pixel(OTHER),
      );
      if (shade > 0) {
        ++others;
        rest.accelerator += sums.accelerator;
        rest.host += sums.host;
        continue;
      }
      const label = name(key);
      this.legend.push({
        color,
        label: label === "" ? "(none)" : label,
        value: value(sums),
        query: label === "" ? "" : `${mode}:"${label}"`,
      });
    }
    if (others > 0) {
      this.legend.push({
        color: OTHER,
        label: others === 1 ? "1 other" : `${others} others`,
        value: value(rest),
        query: "",
      });
    }
    const colors = new Uint32Array(data.entryName.length);
    const other = pixel(OTHER);
    for (let e = 0; e < colors.length; ++e) {
      colors[e] = table.get(keyOf(e)) ?? other;
    }
    this.of = (event) => colors[data.entry[event]];
  }

  private byLane(mode: "device" | "kind") {
    const { model } = this;
    const { head } = model.data;
    const colors = head.lanes.map((lane) =>
      pixel(
        mode === "kind"
          ? KIND_COLORS[lane.kind]
          : PALETTE[lane.device % PALETTE.length],
      ),
    );
    this.of = (event) => colors[model.laneOf[event]];
    this.legend =
      mode === "kind"
        ? Object.keys(KIND_COLORS)
            .filter((kind) => head.lanes.some((l) => l.kind === kind))
            .map((kind) => ({
              color: KIND_COLORS[kind],
              label: kind,
              value: "",
              query: `kind:${kind}`,
            }))
        : head.devices.slice(0, PALETTE.length).map((_, d) => ({
            color: PALETTE[d],
            label: model.deviceName(d),
            value: "",
            query: `device:"${model.deviceName(d)}"`,
          }));
  }

  private byDuration() {
    const { model } = this;
    const { duration } = model.data;
    // Powers of ten, in microseconds.
    const limits = [1, 10, 100, 1000].map((m) => m * model.perMicro);
    const colors = SCALE.map(pixel);
    this.of = (event) => {
      let bucket = 0;
      while (bucket < limits.length && duration[event] >= limits[bucket]) {
        ++bucket;
      }
      return colors[bucket];
    };
    const names = ["1us", "10us", "100us", "1ms"];
    this.legend = SCALE.map((color, i) => ({
      color,
      label:
        i === 0
          ? "below 1 µs"
          : i === 4
            ? "1 ms and above"
            : `${names[i - 1]} to ${names[i]}`
                .replace(/us/g, " µs")
                .replace(/ms/g, " ms"),
      value: "",
      query: [
        i > 0 ? `dur>=${names[i - 1]}` : "",
        i < 4 ? `dur<${names[i]}` : "",
      ]
        .join(" ")
        .trim(),
    }));
  }
}

// The scope that colours each entry.
function scopeKeys(model: Model): (entry: number) => number {
  const { data } = model;
  const { scopes } = data;
  // If the whole program is in one scope, the scopes inside it count.
  let root = 0;
  for (;;) {
    let only = -1;
    for (let e = 0; e < data.entryScope.length && only !== -2; ++e) {
      let at = data.entryScope[e];
      if (at === root && root === 0) continue;
      while (at > 0 && scopes.parent[at] !== root) at = scopes.parent[at];
      if (at === 0) continue;
      if (only === -1) only = at;
      else if (only !== at) only = -2;
    }
    if (only < 0) break;
    root = only;
  }
  const key = new Int32Array(scopes.parent.length);
  const inside = new Uint8Array(scopes.parent.length);
  for (let s = 1; s < key.length; ++s) {
    const parent = scopes.parent[s];
    key[s] = inside[parent] ? key[parent] : s;
    inside[s] = parent === root || inside[parent] ? 1 : 0;
  }
  return (entry) => key[data.entryScope[entry]];
}
