// The positions of things on the timeline, from the top: processes, their
// devices, and the lanes and counters of these. A closed one is a single line
// with all its events, so nothing is lost.

import { Lane } from "./decode";
import { Model } from "./model";

export type ItemKind = "process" | "device" | "lane" | "counter";

export interface Item {
  kind: ItemKind;
  index: number; // of the process, device, lane or counter
  key: string; // identifies it in the set of closed ones
  level: number;
  y: number;
  height: number;
  rowHeight: number; // of a lane
  lanes: number[]; // shown in one line by a closed item
  open: boolean;
  label: string;
  title: string;
}

const HEADER = 24;
const LINE = 20;
const COUNTER = 38;
const GAP = 3;
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
  deviceOrder: number[] = [];
  readonly closed = new Set<string>();
  private readonly laneNames = new Map<string, number>();

  constructor(private readonly model: Model) {
    // Lanes that repeat others are closed at the beginning.
    model.lanes.forEach((lane) => {
      const key = nameKey(lane.lane);
      this.laneNames.set(key, (this.laneNames.get(key) ?? 0) + 1);
      const { kind, counted } = lane.lane;
      if (!counted && kind !== "annotation" && kind !== "other") {
        this.closed.add(`l${lane.index}`);
      }
    });
    this.update();
  }

  toggle(key: string) {
    if (!this.closed.delete(key)) this.closed.add(key);
    this.update();
  }

  setAll(open: boolean) {
    this.closed.clear();
    if (!open) {
      this.model.data.head.devices.forEach((_, d) => this.closed.add(`d${d}`));
    }
    this.update();
  }

  // Opens the process and the device of the lane.
  reveal(lane: number) {
    const { device } = this.model.lanes[lane].lane;
    const { process } = this.model.data.head.devices[device];
    for (const key of [`p${process}`, `d${device}`, `l${lane}`]) {
      this.closed.delete(key);
    }
    this.update();
  }

  kindOf(lane: number) {
    return this.model.lanes[lane].lane.kind;
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
    const add = (item: Omit<Item, "y">) => {
      this.items.push({ ...item, y });
      y += item.height;
    };
    const lanesOfDevice = new Map<number, number[]>();
    model.lanes.forEach(({ lane, index }) => {
      const list = lanesOfDevice.get(lane.device);
      if (list) list.push(index);
      else lanesOfDevice.set(lane.device, [index]);
    });
    const order = head.devices
      .map((_, d) => d)
      .sort(
        (a, b) =>
          natural(
            head.processes[head.devices[a].process],
            head.processes[head.devices[b].process],
          ) ||
          head.devices[a].process - head.devices[b].process ||
          Number(head.devices[b].accelerator) -
            Number(head.devices[a].accelerator) ||
          natural(head.devices[a].label, head.devices[b].label) ||
          a - b,
      );
    this.deviceOrder = order;
    // A counter of a process is shown at a device that its name contains.
    const deviceOf = (i: number) => {
      const { device, process, name } = head.counters[i];
      return device >= 0
        ? device
        : head.devices.findIndex(
            (d) => d.process === process && name.startsWith(d.label + " "),
          );
    };
    let process = -1;
    let processOpen = true;
    for (const d of order) {
      const device = head.devices[d];
      const lanes = lanesOfDevice.get(d) ?? [];
      const counters = head.counters
        .map((_, i) => i)
        .filter((i) => deviceOf(i) === d);
      if (device.process !== process) {
        process = device.process;
        const key = `p${process}`;
        processOpen = !this.closed.has(key);
        const all = order
          .filter((o) => head.devices[o].process === process)
          .flatMap((o) => lanesOfDevice.get(o) ?? []);
        if (head.processes.length > 1) {
          add({
            kind: "process",
            index: process,
            key,
            level: 0,
            height: HEADER,
            rowHeight: 0,
            lanes: processOpen ? [] : all,
            open: processOpen,
            label:
              model.deviceName(d).slice(0, -device.label.length).trim() ||
              head.processes[process],
            title: head.processes[process],
          });
        } else {
          processOpen = true;
        }
        if (processOpen) {
          head.counters.forEach((counter, i) => {
            if (deviceOf(i) < 0 && counter.process === process) {
              this.addCounter(add, i);
            }
          });
        }
      }
      if (!processOpen || (lanes.length === 0 && counters.length === 0)) {
        continue;
      }
      const key = `d${d}`;
      const open = !this.closed.has(key);
      add({
        kind: "device",
        index: d,
        key,
        level: 1,
        height: HEADER,
        rowHeight: 0,
        lanes: lanes.filter((l) => model.lanes[l].lane.counted),
        open,
        label: device.label,
        title: device.name,
      });
      if (!open) continue;
      const sorted = [...lanes].sort((a, b) => {
        const x = model.lanes[a].lane;
        const z = model.lanes[b].lane;
        return (
          Number(z.counted) - Number(x.counted) ||
          KIND_ORDER.indexOf(x.kind) - KIND_ORDER.indexOf(z.kind) ||
          natural(x.name, z.name) ||
          a - b
        );
      });
      for (const l of sorted) this.addLane(add, l);
      for (const i of counters) this.addCounter(add, i);
    }
    this.height = y + 8;
  }

  private addLane(add: (item: Omit<Item, "y">) => void, index: number) {
    const { lane, rows } = this.model.lanes[index];
    const key = `l${index}`;
    const canClose = rows.length > 1;
    const open = !this.closed.has(key) || !canClose;
    const rowHeight = heightOfRow(rows.length);
    const height = open ? Math.max(LINE, rows.length * rowHeight + GAP) : LINE;
    // If other lanes of the device have the same name, the kind is added.
    const name =
      lane.kind !== "compute" && (this.laneNames.get(nameKey(lane)) ?? 0) > 1
        ? `${lane.kind} · ${this.model.laneName(index)}`
        : this.model.laneName(index);
    add({
      kind: "lane",
      index,
      key,
      level: 2,
      height,
      rowHeight,
      lanes: open ? [] : [index],
      open,
      label: name,
      title: `${name}: ${lane.kind}${lane.counted ? "" : ", not in sums"}`,
    });
  }

  private addCounter(add: (item: Omit<Item, "y">) => void, index: number) {
    const counter = this.model.data.head.counters[index];
    add({
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
    });
  }
}
