// The positions of things on the timeline, from the top: pinned lanes, then
// processes, their devices, and the lanes and counters of these. A closed one is
// a single line with all events of the lanes in it that are shown.

import { Lane } from "./decode";
import { LaneChoice } from "./lanes";
import { Model } from "./model";

export type ItemKind = "process" | "device" | "lane" | "counter";

export interface Item {
  kind: ItemKind;
  index: number; // of the process, device, lane or counter
  key: string; // see lanes.ts
  level: number;
  y: number;
  height: number;
  rowHeight: number; // of a lane
  lanes: number[]; // shown in one line by a closed item
  open: boolean;
  pinned: boolean;
  label: string;
  title: string;
}

const HEADER = 24;
const LINE = 20;
const COUNTER = 38;
const GAP = 3;
const PINNED_GAP = 3; // below the pinned lanes
const KIND_ORDER = [
  "annotation",
  "compute",
  "communication",
  "copy",
  "launch",
  "other",
];

// Rows of a deep lane are lower, so that all rows fit.
function heightOfRow(rows: number): number {
  if (rows <= 10) return 18;
  if (rows <= 24) return 12;
  return rows <= 80 ? 7 : 3;
}

function nameKey(lane: Lane): string {
  return `${lane.device} ${lane.name}`;
}

const natural = new Intl.Collator("en", { numeric: true }).compare;

export class Layout {
  items: Item[] = [];
  height = 0;
  pinnedHeight = 0; // of the pinned items, which are the first
  // Lanes and counters: on the page, in sight or in a closed line, hidden, and
  // left out by the filter.
  all = 0;
  shown = 0;
  filtered = 0;
  readonly deviceOrder: number[];
  closed = new Set<string>();
  private readonly processOrder: number[];
  private readonly lanesOfDevice: number[][]; // as shown
  private readonly countersOfDevice: number[][];
  private readonly countersOfProcess: number[][]; // of none of its devices
  private readonly laneNames = new Map<string, number>();
  private readonly filterTexts = new Map<string, string>();

  constructor(
    private readonly model: Model,
    readonly choice = new LaneChoice(),
  ) {
    const { head } = model.data;
    // Lanes that repeat others are closed at the beginning.
    model.lanes.forEach((lane) => {
      const key = nameKey(lane.lane);
      this.laneNames.set(key, (this.laneNames.get(key) ?? 0) + 1);
      const { kind, counted } = lane.lane;
      if (!counted && kind !== "annotation" && kind !== "other") {
        this.closed.add(`l${lane.index}`);
      }
    });
    const { devices, processes } = head;
    this.deviceOrder = devices
      .map((_, d) => d)
      .sort(
        (a, b) =>
          natural(
            processes[devices[a].process],
            processes[devices[b].process],
          ) ||
          devices[a].process - devices[b].process ||
          Number(devices[b].accelerator) - Number(devices[a].accelerator) ||
          natural(devices[a].label, devices[b].label) ||
          a - b,
      );
    // A process without a device may have counters.
    this.processOrder = [
      ...new Set([
        ...this.deviceOrder.map((d) => devices[d].process),
        ...processes.keys(),
      ]),
    ];
    this.lanesOfDevice = devices.map(() => []);
    model.lanes.forEach(({ lane, index }) =>
      this.lanesOfDevice[lane.device].push(index),
    );
    for (const lanes of this.lanesOfDevice) {
      lanes.sort((a, b) => {
        const x = model.lanes[a].lane;
        const z = model.lanes[b].lane;
        return (
          Number(z.counted) - Number(x.counted) ||
          KIND_ORDER.indexOf(x.kind) - KIND_ORDER.indexOf(z.kind) ||
          natural(x.name, z.name) ||
          a - b
        );
      });
    }
    this.countersOfDevice = devices.map(() => []);
    this.countersOfProcess = processes.map(() => []);
    head.counters.forEach(({ device, process, name }, i) => {
      // A counter of a process is shown at a device that its name contains.
      const of =
        device >= 0
          ? device
          : devices.findIndex(
              (d) => d.process === process && name.startsWith(d.label + " "),
            );
      (of >= 0
        ? this.countersOfDevice[of]
        : this.countersOfProcess[process]
      ).push(i);
    });
    this.all = model.lanes.length + head.counters.length;
    this.update();
  }

  // What `all` counts.
  get noun(): string {
    if (this.model.data.head.counters.length > 0) return "lanes and counters";
    return this.all === 1 ? "lane" : "lanes";
  }

  toggle(key: string) {
    if (!this.closed.delete(key)) this.closed.add(key);
    this.update();
  }

  // Closes all processes, or the devices of the only one; or opens everything.
  setAll(open: boolean) {
    this.closed.clear();
    if (!open) {
      const { processes, devices } = this.model.data.head;
      if (processes.length > 1) {
        processes.forEach((_, p) => this.closed.add(`p${p}`));
      } else {
        devices.forEach((_, d) => this.closed.add(`d${d}`));
      }
    }
    this.update();
  }

  // Shows the lane, or the counter, of a key: it is no longer hidden or left out
  // by the filter, and its process and its device are open.
  reveal(key: string) {
    this.choice.show([key]);
    const index = Number(key.slice(1));
    const { devices, counters } = this.model.data.head;
    const isLane = key[0] === "l";
    const device = isLane
      ? this.model.lanes[index].lane.device
      : this.countersOfDevice.findIndex((c) => c.includes(index));
    const process =
      device >= 0 ? devices[device].process : counters[index].process;
    if (!this.choice.pinned.includes(key)) {
      if (!this.choice.matches(this.filterText(key))) this.choice.filter = "";
      this.closed.delete(`p${process}`);
      this.closed.delete(`d${device}`);
    }
    this.closed.delete(key);
    this.update();
  }

  // Whether a lane or a counter is in sight, or in a closed line.
  shows(key: string): boolean {
    return this.isPinned(key) || this.isShown(key);
  }

  kindOf(lane: number) {
    return this.model.lanes[lane].lane.kind;
  }

  // The lanes and counters of an item that are shown, whether it is open or not.
  leavesOf(item: Item): string[] {
    if (item.kind === "lane" || item.kind === "counter") return [item.key];
    const devices =
      item.kind === "device"
        ? [item.index]
        : this.deviceOrder.filter(
            (d) => this.model.data.head.devices[d].process === item.index,
          );
    const keys = devices.flatMap((d) => [
      ...this.lanesOfDevice[d].map((l) => `l${l}`),
      ...this.countersOfDevice[d].map((c) => `c${c}`),
    ]);
    if (item.kind === "process") {
      keys.push(...this.countersOfProcess[item.index].map((c) => `c${c}`));
    }
    return keys.filter((key) => this.isShown(key) && !this.isPinned(key));
  }

  // The name of a lane or a counter with its device, or its process.
  fullName(key: string): string {
    const index = Number(key.slice(1));
    const { counters, processes } = this.model.data.head;
    if (key[0] === "l") {
      const { device } = this.model.lanes[index].lane;
      return `${this.model.deviceName(device)} · ${this.laneLabel(index)}`;
    }
    const { device, process, name } = counters[index];
    const place =
      device >= 0
        ? this.model.deviceName(device)
        : processes.length > 1
          ? processes[process]
          : "";
    return [place, name || "counter"].filter((t) => t !== "").join(" · ");
  }

  itemOfLane(lane: number): Item | undefined {
    return this.items.find((i) => i.kind === "lane" && i.index === lane);
  }

  itemAt(y: number): Item | undefined {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.items[mid].y + this.items[mid].height <= y) low = mid + 1;
      else high = mid;
    }
    const item = this.items[low];
    return item && item.y <= y ? item : undefined;
  }

  update() {
    const { model } = this;
    const { head } = model.data;
    this.items = [];
    let y = 0;
    const add = (item: Omit<Item, "y" | "pinned">, pinned = false) => {
      this.items.push({ ...item, y, pinned });
      y += item.height;
    };
    for (const key of this.choice.pinned) {
      const index = Number(key.slice(1));
      const item = key[0] === "l" ? this.lane(index) : this.counter(index);
      add({ ...item, level: 0, label: this.fullName(key) }, true);
    }
    if (y > 0) y += PINNED_GAP;
    this.pinnedHeight = y;
    const visible = (letter: string, of: number[]) =>
      of.filter((i) => {
        const key = `${letter}${i}`;
        return this.isShown(key) && !this.isPinned(key);
      });
    let shown = this.choice.pinned.length;
    for (const process of this.processOrder) {
      const devices = this.deviceOrder
        .filter((d) => head.devices[d].process === process)
        .map((d) => ({
          d,
          lanes: visible("l", this.lanesOfDevice[d]),
          // The line of a device has its pinned lanes, too.
          line: this.lanesOfDevice[d].filter((l) => this.isShown(`l${l}`)),
          counters: visible("c", this.countersOfDevice[d]),
        }))
        .filter(({ lanes, counters }) => lanes.length + counters.length > 0);
      const own = visible("c", this.countersOfProcess[process]);
      const size = devices.reduce(
        (sum, d) => sum + d.lanes.length + d.counters.length,
        own.length,
      );
      if (size === 0) continue;
      shown += size;
      if (head.processes.length > 1) {
        const key = `p${process}`;
        const open = !this.closed.has(key);
        add({
          kind: "process",
          index: process,
          key,
          level: 0,
          height: HEADER,
          rowHeight: 0,
          lanes: open ? [] : devices.flatMap((d) => d.line),
          open,
          label: head.processes[process],
          title: head.processes[process],
        });
        if (!open) continue;
      }
      for (const { d, lanes, line, counters } of devices) {
        const device = head.devices[d];
        const key = `d${d}`;
        const open = !this.closed.has(key);
        add({
          kind: "device",
          index: d,
          key,
          level: 1,
          height: HEADER,
          rowHeight: 0,
          lanes: line.filter((l) => model.lanes[l].lane.counted),
          open,
          label: device.label,
          title: device.name,
        });
        if (!open) continue;
        for (const l of lanes) add(this.lane(l));
        for (const c of counters) add(this.counter(c));
      }
      for (const c of own) add({ ...this.counter(c), level: 1 });
    }
    this.shown = shown;
    this.filtered = this.all - shown - this.choice.hidden.size;
    this.height = y + 8;
  }

  private isPinned(key: string): boolean {
    return this.choice.pinned.includes(key);
  }
  // A pinned one is shown whatever the filter is.
  private isShown(key: string): boolean {
    if (this.choice.hidden.has(key)) return false;
    if (this.choice.filter === "" || this.isPinned(key)) return true;
    return this.choice.matches(this.filterText(key));
  }
  // What the filter looks at: the names of the process, the device and the lane.
  private filterText(key: string): string {
    let text = this.filterTexts.get(key);
    if (text === undefined) {
      const { devices, processes } = this.model.data.head;
      text = this.fullName(key);
      if (key[0] === "l") {
        const { device, kind } = this.model.lanes[Number(key.slice(1))].lane;
        const { name, process } = devices[device];
        text += `\n${name}\n${processes[process]}\n${kind}`;
      }
      this.filterTexts.set(key, text);
    }
    return text;
  }

  // If other lanes of the device have the same name, the kind is added. What
  // tells "thread 7 (python3) launches" from the lane before it comes first: the
  // column cuts names at their end.
  private laneLabel(index: number): string {
    const { lane } = this.model.lanes[index];
    const name = this.model
      .laneName(index)
      .replace(/^(.*\)) ([^()]+)$/, "$2 · $1");
    return lane.kind !== "compute" &&
      (this.laneNames.get(nameKey(lane)) ?? 0) > 1
      ? `${lane.kind} · ${name}`
      : name;
  }

  private lane(index: number): Omit<Item, "y" | "pinned"> {
    const { lane, rows } = this.model.lanes[index];
    const key = `l${index}`;
    const canClose = rows.length > 1;
    const open = !this.closed.has(key) || !canClose;
    const rowHeight = heightOfRow(rows.length);
    const label = this.laneLabel(index);
    return {
      kind: "lane",
      index,
      key,
      level: 2,
      height: open ? Math.max(LINE, rows.length * rowHeight + GAP) : LINE,
      rowHeight,
      lanes: open ? [] : [index],
      open,
      label,
      title:
        `${this.fullName(key)}: ${lane.kind}` +
        (lane.counted ? "" : ", not in sums"),
    };
  }

  private counter(index: number): Omit<Item, "y" | "pinned"> {
    const counter = this.model.data.head.counters[index];
    return {
      kind: "counter",
      index,
      key: `c${index}`,
      level: 2,
      height: COUNTER,
      rowHeight: 0,
      lanes: [],
      open: true,
      label: counter.name || "counter",
      title: `${counter.name} (${counter.unit || "number"})`,
    };
  }
}
