// The timeline on its canvas.
//
// Rows are drawn as pixels: a pixel has the colour of its longest event, and
// its strength is the busy share of its time. Texts, lines and arrows are drawn
// on top.

import { amount } from "../shared/format";
import { isLight, mix, pixel } from "../shared/pixels";
import { Theme } from "../shared/theme";
import { Colors, KIND_COLORS } from "./colors";
import { Item, Layout } from "./layout";
import { Level, levelOf } from "./levels";
import { Model } from "./model";
import { firstAfter } from "./rows";
import { drawRuler, drawSteps, FONT, TOP } from "./ruler";
import { Samples } from "./samples";
import { Range } from "./sums";
import { View } from "./view";

const SMALL_FONT = "9.5px system-ui, sans-serif";
// The number of rows that the line of an open device summarizes.
const MAX_SUMMARY = 2000;
const WIDE_FROM = 4; // the smallest bar with an edge, in pixels of the screen
const TEXT_FROM = 34; // the smallest bar with text, in pixels

export interface Arrow {
  from: number;
  to: number;
  kind: string;
}

// A box that is being drawn. Without heights it covers all lanes.
export interface Box {
  x0: number;
  x1: number;
  y0?: number;
  y1?: number;
}

export interface Mark {
  at: number;
  color: string;
  finding: number;
}

// A part of the canvas with its items: the pinned ones, or those that scroll.
interface Region {
  top: number;
  items: Item[];
  bars: Bar[];
}

interface Bar {
  event: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Timeline {
  theme!: Theme;
  selected = -1;
  hovered = -1;
  range: Range | undefined;
  cursor = -1; // x position of the pointer
  // The last place of the pointer on a counter, to mark the value there.
  pointed: { counter: number; at: number } | undefined;
  box: Box | undefined;
  arrows: Arrow[] = [];
  // True if events on the critical path are marked.
  pathOn = true;
  marks: Mark[] = [];
  width = 1;
  height = 1;
  private scale = 1;
  private clipTop = TOP;
  private image!: ImageData;
  private pixels!: Uint32Array;
  private readonly samples: Samples;
  private line!: Uint32Array;
  readonly context: CanvasRenderingContext2D;
  private readonly kindColors: number[];
  private readonly widths = new Map<string, number>();
  private readonly counterLevels = new Map<number, Level>();

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly model: Model,
    readonly layout: Layout,
    readonly view: View,
    readonly colors: Colors,
  ) {
    this.context = canvas.getContext("2d", {
      alpha: false,
    }) as CanvasRenderingContext2D;
    this.samples = new Samples(model, WIDE_FROM);
    this.kindColors = model.data.head.lanes.map((lane) =>
      pixel(KIND_COLORS[lane.kind]),
    );
  }

  resize(width: number, height: number, scale = window.devicePixelRatio || 1) {
    this.width = Math.max(1, Math.floor(width));
    this.height = Math.max(TOP + 1, Math.floor(height));
    this.scale = scale;
    const w = Math.round(this.width * this.scale);
    const h = Math.round(this.height * this.scale);
    if (this.canvas.width === w && this.canvas.height === h && this.image) {
      return;
    }
    this.canvas.width = w;
    this.canvas.height = h;
    this.image = this.context.createImageData(w, h);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(w);
  }

  // ---- positions

  get perPixel(): number {
    return (this.view.to - this.view.from) / this.width;
  }
  timeAt(x: number): number {
    return this.view.from + x * this.perPixel;
  }
  xOf(at: number): number {
    return (at - this.view.from) / this.perPixel;
  }
  get maxScroll(): number {
    return Math.max(0, this.layout.height - (this.height - TOP));
  }
  // The height of the pinned lanes, which do not scroll. If they are more than
  // half of the canvas, they scroll like the others: 0.
  get sticky(): number {
    const { pinnedHeight } = this.layout;
    return pinnedHeight <= (this.height - TOP) / 2 ? pinnedHeight : 0;
  }
  // The position of an item on the canvas.
  topOf(item: Item): number {
    const fixed = item.pinned && this.sticky > 0;
    return TOP + item.y - (fixed ? 0 : this.view.y);
  }
  // Moves the view as little as needed to show the item.
  scrollTo(item: Item) {
    if (item.pinned && this.sticky > 0) return;
    const room = this.height - TOP;
    if (item.y - this.sticky < this.view.y) {
      this.view.y = item.y - this.sticky;
    } else if (item.y + item.height > this.view.y + room) {
      this.view.y = item.y + item.height - room;
    }
  }
  itemAt(y: number): Item | undefined {
    if (y < TOP) return undefined;
    const { sticky } = this;
    return this.layout.itemAt(y - TOP + (y - TOP < sticky ? 0 : this.view.y));
  }
  // The items that are between two heights of the canvas, from the top.
  itemsBetween(y0: number, y1: number): Item[] {
    return this.layout.items.filter((item) => {
      const top = this.topOf(item);
      const least = item.pinned ? TOP : TOP + this.sticky;
      return top < y1 && Math.max(least, y0) < top + item.height;
    });
  }
  // The item that shows an event: its lane, or a closed line. undefined: it is
  // hidden.
  itemOf(event: number): Item | undefined {
    const index = this.model.laneOf[event];
    const { layout } = this;
    const { device } = this.model.lanes[index].lane;
    const around = [
      `d${device}`,
      `p${this.model.data.head.devices[device].process}`,
    ];
    return (
      layout.itemOfLane(index) ??
      layout.items.find(
        (i) =>
          !i.open &&
          around.includes(i.key) &&
          layout.leavesOf(i).includes(`l${index}`),
      )
    );
  }
  // The vertical middle of an event's row on the canvas; undefined if it is
  // hidden.
  yOf(event: number): number | undefined {
    const item = this.itemOf(event);
    if (!item) return undefined;
    const inside =
      item.kind === "lane" && item.open
        ? (this.model.rowOf[event] + 0.5) * item.rowHeight
        : item.height / 2;
    return this.topOf(item) + inside;
  }

  eventAt(x: number, y: number): number {
    const item = this.itemAt(y);
    if (!item) return -1;
    const { model } = this;
    const { start, duration } = model.data;
    const source = { start, duration, chosen: undefined };
    const rows =
      item.kind === "lane" && item.open
        ? [
            model.lanes[item.index].rows[
              Math.floor((y - this.topOf(item)) / item.rowHeight)
            ],
          ]
        : item.lanes.flatMap((l) => model.lanes[l].rows);
    const reach = this.perPixel * 2;
    const when = this.timeAt(x);
    let best = -1;
    let exact = false;
    for (const row of rows) {
      if (!row) continue;
      let left = 5000;
      for (
        let i = firstAfter(row, source, when - reach);
        i < row.events.length && left-- > 0;
        ++i
      ) {
        const e = row.events[i];
        if (start[e] > when + reach) break;
        const over = start[e] <= when && when < model.end(e);
        if (
          best < 0 ||
          (over && !exact) ||
          (over === exact && duration[e] > duration[best])
        ) {
          best = e;
          exact = over;
        }
      }
    }
    return best;
  }

  // ---- drawing

  draw() {
    const { context, pixels, view, layout } = this;
    view.y = Math.min(Math.max(0, view.y), this.maxScroll);
    pixels.fill(this.theme.backPixel);
    const { width } = this.canvas;
    this.samples.begin(view.from, (view.to - view.from) / width, width);
    const { sticky } = this;
    const isFixed = (item: Item) => item.pinned && sticky > 0;
    const visible = layout.items.filter((item) => {
      const y = this.topOf(item);
      return y < this.height && y + item.height > TOP;
    });
    const regions: Region[] = [
      {
        top: TOP + sticky,
        items: visible.filter((i) => !isFixed(i)),
        bars: [],
      },
      { top: TOP, items: visible.filter(isFixed), bars: [] },
    ];
    for (const { top, items, bars } of regions) {
      this.clipTop = top;
      for (const item of items) this.drawItem(item, bars);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, 0, 0);
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    drawSteps(this);
    for (const { top, items, bars } of regions) {
      context.save();
      context.beginPath();
      context.rect(0, top, this.width, this.height - top);
      context.clip();
      for (const item of items) {
        if (item.kind === "counter") this.drawCounter(item);
      }
      this.drawPath(bars);
      this.drawTexts(bars);
      this.drawRange(items);
      context.restore();
    }
    if (sticky > 0) {
      context.fillStyle = this.theme.accent;
      context.fillRect(0, TOP + sticky - 2, this.width, 1);
    }
    this.drawSelection();
    this.drawArrows();
    drawRuler(this);
  }

  private fillLines(y: number, height: number, line: Uint32Array | number) {
    const w = this.canvas.width;
    const from = Math.max(
      Math.round(this.clipTop * this.scale),
      Math.round(y * this.scale),
    );
    const to = Math.min(
      this.canvas.height,
      Math.round((y + height) * this.scale),
    );
    for (let p = from; p < to; ++p) {
      if (typeof line === "number") this.pixels.fill(line, p * w, (p + 1) * w);
      else this.pixels.set(line, p * w);
    }
  }

  private drawItem(item: Item, bars: Bar[]) {
    const y = this.topOf(item);
    const isLane = item.kind === "lane";
    const back =
      isLane || item.kind === "counter"
        ? this.theme.lanePixel
        : this.theme.headPixel;
    this.fillLines(y, item.height - 1, back);
    if (isLane && item.open) {
      const { rows } = this.model.lanes[item.index];
      const first = Math.max(
        0,
        Math.floor((this.clipTop - y) / item.rowHeight),
      );
      for (let r = first; r < rows.length; ++r) {
        const rowY = y + r * item.rowHeight;
        if (rowY > this.height) break;
        const gap = item.rowHeight >= 6 ? 1 : 0;
        this.sampleRows([[item.index, r]], back, (e, x, width) =>
          bars.push({
            event: e,
            x,
            y: rowY,
            width,
            height: item.rowHeight - gap,
          }),
        );
        this.fillLines(rowY, item.rowHeight - gap, this.line);
      }
      return;
    }
    // One line for all lanes of a process or a device; of a closed one, a strip
    // for each kind of work, so that none hides another.
    const strips = item.open || isLane ? [item.lanes] : this.strips(item.lanes);
    const gap = item.open ? 8 : 3;
    const height = (item.height - 1 - 2 * gap) / Math.max(1, strips.length);
    strips.forEach((lanes, s) => {
      const all: Array<[number, number]> = [];
      for (const l of lanes) {
        this.model.lanes[l].rows.forEach((_, r) => all.push([l, r]));
      }
      if (all.length === 0 || (item.open && all.length > MAX_SUMMARY)) return;
      this.sampleRows(
        all,
        back,
        () => undefined,
        !isLane && this.colors.areKinds,
      );
      this.fillLines(y + gap + s * height, height, this.line);
    });
  }

  // Lanes by what they do: work of accelerators, communication, copies, and all
  // else, which is work of hosts.
  private strips(lanes: number[]): number[][] {
    const { devices } = this.model.data.head;
    const strips: number[][] = [[], [], [], []];
    for (const l of lanes) {
      const { kind, device, counted } = this.model.lanes[l].lane;
      if (!counted) continue;
      const place = ["communication", "copy"].indexOf(kind);
      strips[place >= 0 ? place + 1 : devices[device].accelerator ? 0 : 3].push(
        l,
      );
    }
    const used = strips.filter((s) => s.length > 0);
    return used.length > 0 ? used : [lanes];
  }

  private sampleRows(
    rows: Array<[number, number]>,
    back: number,
    wide: (event: number, x: number, width: number) => void,
    byKind = false,
  ) {
    const { line, colors, theme, samples } = this;
    const { start, duration } = this.model.data;
    const { sampled, wide: events } = samples.of(rows);
    const edges: number[] = [];
    const least = TEXT_FROM * this.scale;
    for (const e of events) {
      const x0 = (start[e] - samples.from) / samples.perPixel;
      const x1 = x0 + duration[e] / samples.perPixel;
      edges.push(Math.floor(x1) - 1);
      if (x1 - x0 < least) continue;
      const from = Math.max(0, x0 / this.scale);
      wide(e, from, Math.min(this.width, x1 / this.scale) - from);
    }
    const { hit, rest, top } = sampled;
    for (let x = 0; x < line.length; ++x) {
      if (hit[x] > 0 || (top[x] >= 0 && rest[x] === 0)) {
        const color = byKind
          ? this.kindColors[this.model.laneOf[top[x]]]
          : colors.color(top[x]);
        line[x] =
          hit[x] >= 0.999
            ? color
            : mix(color, back, 0.35 + 0.65 * Math.min(1, hit[x]));
      } else if (top[x] >= 0) {
        line[x] = mix(
          theme.faintPixel,
          back,
          0.12 + 0.2 * Math.min(1, rest[x]),
        );
      } else {
        line[x] = back;
      }
    }
    for (const x of edges) {
      if (x >= 0 && x < line.length) line[x] = mix(line[x], back, 0.35);
    }
  }

  private drawTexts(bars: Bar[]) {
    const { context } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const chosen = this.model.chosen;
    for (const bar of bars) {
      if (bar.height < 10 || bar.y + bar.height < TOP) continue;
      context.font = bar.height < 14 ? SMALL_FONT : FONT;
      const text = this.fit(this.model.labelOf(bar.event), bar.width - 8);
      if (text === "") continue;
      const is = !chosen || chosen[bar.event] === 1;
      context.fillStyle = !is
        ? this.theme.faint
        : isLight(this.colors.color(bar.event))
          ? "#10151c"
          : "#ffffff";
      context.fillText(text, bar.x + 4, bar.y + bar.height / 2 + 0.5);
    }
  }

  // The part of the text that fits into the width.
  fit(text: string, width: number): string {
    const most = text.slice(0, 400);
    let full = this.widths.get(most);
    if (full === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      full = this.context.measureText(most).width;
      this.widths.set(most, full);
    }
    if (full <= width) return most;
    let letters = Math.floor((most.length * (width - 8)) / full);
    // The first letters may be wider than average.
    while (letters > 2) {
      const cut = this.context.measureText(most.slice(0, letters)).width;
      if (cut <= width - 8) return most.slice(0, letters) + "…";
      letters = Math.min(
        letters - 1,
        Math.floor((letters * (width - 8)) / cut),
      );
    }
    return "";
  }

  levelOf(counter: number): Level {
    let level = this.counterLevels.get(counter);
    if (!level) {
      level = levelOf(this.model, counter);
      this.counterLevels.set(counter, level);
    }
    return level;
  }

  private drawCounter(item: Item) {
    const { context, theme } = this;
    const counter = this.model.data.head.counters[item.index];
    const level = this.levelOf(item.index);
    const y = this.topOf(item);
    const height = item.height - 6;
    const low = Math.min(0, level.least);
    const size = Math.max(level.most - low, 1e-9);
    const place = (value: number) =>
      y + 3 + height * (1 - (value - low) / size);
    context.save();
    context.beginPath();
    context.rect(0, Math.max(TOP, y), this.width, item.height);
    context.clip();
    context.fillStyle = theme.accent;
    let i = level.indexAt(this.view.from);
    for (let x = 0; x < this.width; ++x) {
      const until = this.timeAt(x + 1);
      let most = i >= 0 ? level.value[i] : NaN;
      while (i + 1 < level.time.length && level.time[i + 1] < until) {
        ++i;
        most = Number.isNaN(most)
          ? level.value[i]
          : Math.max(most, level.value[i]);
      }
      if (Number.isNaN(most)) continue;
      const at = place(most);
      context.globalAlpha = 0.3;
      context.fillRect(x, at, 1, Math.max(1, place(low) - at));
      context.globalAlpha = 0.9;
      context.fillRect(x, at - 0.5, 1, 1.5);
    }
    context.globalAlpha = 1;
    const x = this.xOf(level.time[level.peak]);
    context.fillStyle = theme.text;
    context.font = FONT;
    context.textBaseline = "top";
    const label = `peak ${amount(level.most, counter.unit)}`;
    const size2 = context.measureText(label).width;
    if (x > -200 && x < this.width + 200) {
      context.fillText(
        label,
        Math.max(4, Math.min(this.width - size2 - 4, x + 4)),
        y + 4,
      );
      context.fillRect(x - 0.5, y + 2, 1.5, height);
    }
    const { pointed } = this;
    if (pointed?.counter === item.index) {
      const sample = level.indexAt(pointed.at);
      if (sample >= 0) {
        context.beginPath();
        context.arc(
          this.xOf(pointed.at),
          place(level.value[sample]),
          3.5,
          0,
          7,
        );
        context.fill();
      }
    }
    context.restore();
  }

  // Draws a line below the bars that are on the critical path.
  private drawPath(bars: Bar[]) {
    const { path } = this.model.data;
    if (!this.pathOn || path.size === 0) return;
    const { context } = this;
    context.fillStyle = this.theme.warn;
    for (const bar of bars) {
      if (!((path.get(bar.event)?.onPath ?? 0) > 0)) continue;
      const height = Math.min(3, bar.height / 3);
      context.fillRect(
        bar.x,
        bar.y + bar.height - height,
        Math.max(2, bar.width),
        height,
      );
    }
  }

  // Marks the range, or the box that is being drawn, in its lanes.
  private drawRange(items: Item[]) {
    const { box, range } = this;
    if (!box && !range) return;
    const x0 = box ? box.x0 : this.xOf(range?.from ?? 0);
    const x1 = box ? box.x1 : this.xOf(range?.to ?? 0);
    const left = Math.max(-1, Math.min(x0, x1));
    const wide = Math.min(this.width + 1, Math.max(x0, x1)) - left;
    if (wide <= 0) return;
    const { context } = this;
    context.fillStyle = this.theme.accent;
    const fill = (y: number, height: number) => {
      context.globalAlpha = 0.14;
      context.fillRect(left, y, wide, height);
      context.globalAlpha = 0.8;
      context.fillRect(left, y, 1, height);
      context.fillRect(left + wide - 1, y, 1, height);
      context.globalAlpha = 1;
    };
    if (box?.y0 !== undefined && box.y1 !== undefined) {
      fill(Math.min(box.y0, box.y1), Math.abs(box.y1 - box.y0));
    } else if (box || !range?.lanes) {
      if (items.length > 0) {
        const top = this.topOf(items[0]);
        const last = items[items.length - 1];
        fill(top, this.topOf(last) + last.height - top);
      }
    } else {
      const { lanes } = range;
      for (const item of items) {
        const of = item.kind === "lane" ? [item.index] : item.lanes;
        const shows = item.kind === "lane" || !item.open;
        if (shows && of.some((l) => lanes.has(l))) {
          fill(this.topOf(item), item.height - 1);
        }
      }
    }
  }

  private drawSelection() {
    const { context, theme } = this;
    const outline = (event: number, color: string, size: number) => {
      const y = this.yOf(event);
      if (event < 0 || y === undefined) return;
      const item = this.itemOf(event);
      const half = (item && item.open ? item.rowHeight : 16) / 2;
      const top = TOP + (item?.pinned ? 0 : this.sticky);
      const x = this.xOf(this.model.data.start[event]);
      const wide = Math.max(3, this.model.data.duration[event] / this.perPixel);
      if (x > this.width || x + wide < 0 || y - half < top - 1) return;
      const from = Math.max(x, -5);
      context.strokeStyle = color;
      context.lineWidth = size;
      context.strokeRect(
        from - 0.5,
        y - half - 0.5,
        Math.min(x + wide, this.width + 5) - from,
        2 * half,
      );
    };
    if (this.hovered >= 0 && this.hovered !== this.selected) {
      outline(this.hovered, theme.text, 1);
    }
    if (this.selected >= 0) {
      outline(this.selected, theme.back, 4);
      outline(this.selected, theme.text, 2);
    }
  }

  private drawArrows() {
    const { context } = this;
    for (const arrow of this.arrows) {
      const y0 = this.yOf(arrow.from);
      const y1 = this.yOf(arrow.to);
      if (y0 === undefined || y1 === undefined) continue;
      const x0 = this.xOf(this.model.end(arrow.from));
      const x1 = this.xOf(this.model.data.start[arrow.to]);
      const from =
        arrow.kind === "launch"
          ? this.xOf(this.model.data.start[arrow.from])
          : x0;
      const bend = Math.max(24, Math.min(120, Math.abs(x1 - from) / 2));
      context.lineCap = "round";
      for (const [color, size] of [
        [this.theme.back, 4],
        [this.theme.warn, 1.8],
      ] as const) {
        context.strokeStyle = color;
        context.lineWidth = size;
        context.beginPath();
        context.moveTo(from, y0);
        context.bezierCurveTo(from + bend, y0, x1 - bend, y1, x1, y1);
        context.moveTo(x1 - 6, y1 - 4);
        context.lineTo(x1, y1);
        context.lineTo(x1 - 6, y1 + 4);
        context.stroke();
      }
    }
  }
}
