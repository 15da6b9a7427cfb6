// The page as a whole: its parts, and the connections between them.

import { byId } from "../shared/dom";
import { count } from "../shared/format";
import { readTheme } from "../shared/theme";
import {
  chosenEvents,
  BadQuery,
  Filter,
  nextChosen,
  NO_FILTER,
  rankOf,
} from "./choose";
import { ColorMode, COLOR_MODES, Colors } from "./colors";
import { Step } from "./decode";
import { placeOf } from "./findings";
import { HitOrder } from "./found";
import { Gutter } from "./gutter";
import { formatKeys, parseKeys, sortKeys } from "./lanes";
import { Item, Layout } from "./layout";
import { Minimap } from "./minimap";
import { Model } from "./model";
import { TOP } from "./ruler";
import { Scrollbar } from "./scrollbar";
import { Range } from "./sums";
import { Arrow, Timeline } from "./timeline";
import { formatLink, parseLink, View } from "./view";

const LINK_NAMES = ["launch", "transfer", "gradient", "data"];
const MAX_ARROWS = 60;

// The panel below the timeline. It reads the App, and the App calls it to draw.
export interface Panel {
  has(tab: string): boolean;
  render(app: App): void; // the tab that is open
}

export class App {
  readonly view: View;
  readonly layout: Layout;
  readonly colors: Colors;
  readonly timeline: Timeline;
  readonly gutter: Gutter;
  readonly scrollbar: Scrollbar;
  readonly minimap: Minimap;
  filter: Filter = { ...NO_FILTER };
  query = "";
  tab = "devices";
  arrowsOn = true;
  opsBy = "type";
  measure = "bytes";
  hitOrder: { order: HitOrder; down: boolean } = {
    order: "start",
    down: false,
  };
  sumsOf = "all"; // or "view"
  finding = -1;
  // Called when the state that the controls show may have changed.
  changed: () => void = () => undefined;
  frames = 0;
  private asked = 0;
  private panelAsked = 0;
  private linkAsked = 0;
  private readonly usuallyClosed: string; // as keys
  private readonly findingPlaces = new Map<number, number | undefined>();

  constructor(
    readonly model: Model,
    private readonly panel: Panel,
  ) {
    this.view = new View(model.data.head.span);
    this.layout = new Layout(model);
    this.colors = new Colors(model);
    this.timeline = new Timeline(
      byId<HTMLCanvasElement>("canvas"),
      model,
      this.layout,
      this.view,
      this.colors,
    );
    this.usuallyClosed = formatKeys(sortKeys(this.layout.closed));
    this.gutter = new Gutter(byId("gutter"), this.timeline, {
      toggle: (item) => {
        this.layout.toggle(item.key);
        this.lanesChanged();
      },
      pin: (item) => this.pin(item.key),
      hide: (item) => this.hideLanes(this.layout.leavesOf(item)),
      limit: (item) => this.toggleRangeLanes(item),
      scrolled: () => this.redraw(),
    });
    this.scrollbar = new Scrollbar(byId("scrollbar"), (y) => {
      this.view.y = y;
      this.redraw();
      this.writeLink();
    });
    this.minimap = new Minimap(
      byId<HTMLCanvasElement>("minimap"),
      model,
      this.view,
      () => this.redraw(),
      () => this.settle(),
    );
    this.themeChanged();
    this.firstView();
  }

  // ---- drawing

  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.drawNow();
    });
  }
  drawNow() {
    this.timeline.draw();
    this.gutter.update();
    this.scrollbar.update(
      this.view.y,
      this.timeline.height - TOP,
      this.layout.height,
    );
    this.minimap.draw(this.timeline.theme);
    ++this.frames;
  }
  themeChanged() {
    this.timeline.theme = readTheme();
    this.minimap.invalidate();
    this.markFindings();
    this.redraw();
    this.renderPanel();
  }
  resized() {
    const box = byId("stage").getBoundingClientRect();
    this.timeline.resize(box.width, box.height);
    const map = byId("minimap").getBoundingClientRect();
    this.minimap.resize(map.width, map.height);
    this.redraw();
  }
  layoutChanged() {
    this.gutter.invalidate();
    this.redraw();
  }

  // ---- the lanes

  private lanesChanged() {
    this.layout.update();
    this.layoutChanged();
    this.writeLink();
    this.changed();
  }
  pin(key: string) {
    if (key[0] !== "l" && key[0] !== "c") return;
    this.layout.choice.pin(key);
    this.lanesChanged();
  }
  hideLanes(keys: string[]) {
    this.layout.choice.hide(keys);
    this.lanesChanged();
  }
  showLanes(keys: string[]) {
    this.layout.choice.show(keys);
    this.lanesChanged();
  }
  filterLanes(text: string) {
    this.layout.choice.filter = text;
    this.view.y = 0;
    this.lanesChanged();
  }
  openAll(open: boolean) {
    this.layout.setAll(open);
    this.lanesChanged();
  }
  // The width of the column of names, in pixels.
  get names(): number {
    return byId("side").offsetWidth;
  }
  // 0: the usual width.
  setNames(width: number) {
    const { style } = byId("main");
    const [least, most] = this.namesLimits();
    const size = Math.round(Math.max(least, Math.min(most, width)));
    if (width > 0) style.setProperty("--names", `${size}px`);
    else style.removeProperty("--names");
    this.ownNames = width > 0 ? size : 0;
    this.resized();
    this.writeLink();
  }
  namesLimits(): [number, number] {
    return [72, Math.max(72, Math.round(window.innerWidth * 0.7))];
  }
  private ownNames = 0;

  // The lanes between two heights of the canvas; undefined: all are meant.
  lanesBetween(y0: number, y1: number): Set<number> | undefined {
    const items = this.timeline.itemsBetween(
      Math.min(y0, y1),
      Math.max(y0, y1),
    );
    const isOpen = (i: Item) =>
      i.open && (i.kind === "process" || i.kind === "device");
    // The line of an open device counts if nothing else was meant.
    const inner = items.filter((i) => !isOpen(i));
    const lanes = this.lanesOf(inner.length > 0 ? inner : items);
    return lanes.size > 0 ? lanes : undefined;
  }
  private lanesOf(items: Item[]): Set<number> {
    return new Set(
      items
        .flatMap((item) => this.layout.leavesOf(item))
        .filter((key) => key[0] === "l")
        .map((key) => Number(key.slice(1))),
    );
  }
  // Limits the range to the lanes of an item, too, or no longer. Without a range,
  // it is all of the time.
  private toggleRangeLanes(item: Item) {
    const { range } = this.timeline;
    const of = this.lanesOf([item]);
    const lanes = new Set(range?.lanes ?? []);
    const all = [...of].every((l) => lanes.has(l));
    for (const l of of) {
      if (all) lanes.delete(l);
      else lanes.add(l);
    }
    const time = range ?? { from: 0, to: this.model.data.head.span };
    if (of.size === 0) return;
    if (lanes.size > 0) {
      this.setRange({ ...time, lanes });
    } else if (this.isWhole({ from: time.from, to: time.to })) {
      this.setRange(undefined);
    } else {
      this.setRange({ from: time.from, to: time.to });
    }
  }
  renderPanel() {
    if (this.panelAsked) return;
    this.panelAsked = requestAnimationFrame(() => {
      this.panelAsked = 0;
      this.panel.render(this);
    });
  }

  // ---- the view

  // Shows everything, or only the longest step if the steps are far apart.
  private firstView() {
    const { steps } = this.model.data;
    const { span } = this.model.data.head;
    const inSteps = steps.reduce((sum, s) => sum + s.end - s.start, 0);
    if (steps.length > 1 && inSteps < span / 50) {
      const longest = steps.reduce((a, b) =>
        b.end - b.start > a.end - a.start ? b : a,
      );
      const margin = (longest.end - longest.start) * 0.02;
      this.view.set(longest.start - margin, longest.end + margin);
    } else {
      this.view.set(-span * 0.005, span * 1.005);
    }
    this.view.settle();
  }
  zoomTo(from: number, to: number) {
    const margin = Math.max((to - from) * 0.04, 1);
    this.view.set(from - margin, to + margin);
    this.settle();
  }
  zoomToEvent(event: number) {
    const { start, duration } = this.model.data;
    const around = Math.max(duration[event], 10);
    this.view.set(
      start[event] - around,
      start[event] + duration[event] + around,
    );
    this.reveal(event);
    this.settle();
  }
  fit() {
    const { span } = this.model.data.head;
    this.view.set(-span * 0.005, span * 1.005);
    this.settle();
  }
  undo(back: boolean) {
    if (back ? this.view.undo() : this.view.redo()) this.viewChanged();
  }
  // A movement has ended.
  settle() {
    this.view.settle();
    this.viewChanged();
  }
  private viewChanged() {
    this.redraw();
    this.writeLink();
    this.changed();
    if (this.sumsOf === "view" && this.tab !== "selection") this.renderPanel();
  }
  goToStep(offset: number) {
    const { steps } = this.model.data;
    if (steps.length === 0) return;
    const middle = (this.view.from + this.view.to) / 2;
    let at = steps.findIndex((s) => s.end > middle);
    if (at < 0) at = steps.length - 1;
    const all = this.view.from <= 0 && this.view.to >= this.view.span;
    const next = all
      ? offset > 0
        ? 0
        : steps.length - 1
      : Math.min(steps.length - 1, Math.max(0, at + offset));
    this.zoomTo(steps[next].start, steps[next].end);
  }

  // ---- the selection

  // `stay` keeps the panel as it is.
  select(event: number, reveal: boolean, stay = false) {
    this.timeline.selected = event;
    if (event >= 0) {
      if (this.timeline.range?.lanes) this.gutter.invalidate();
      this.timeline.range = undefined;
      if (!stay) this.tab = "selection";
      if (reveal) this.reveal(event);
    }
    this.updateArrows();
    this.redraw();
    if (!stay) this.renderPanel();
    this.writeLink();
    this.changed();
  }
  setRange(range: Range | undefined) {
    this.timeline.range = range;
    if (range) {
      this.timeline.selected = -1;
      this.timeline.arrows = [];
      this.tab = "selection";
    }
    this.layoutChanged();
    this.renderPanel();
    this.writeLink();
  }
  toggleArrows() {
    this.arrowsOn = !this.arrowsOn;
    this.updateArrows();
    this.redraw();
    this.renderPanel();
  }
  togglePath() {
    this.timeline.pathOn = !this.timeline.pathOn;
    this.redraw();
    this.renderPanel();
  }
  private updateArrows() {
    const event = this.timeline.selected;
    const arrows: Arrow[] = [];
    if (event >= 0 && this.arrowsOn) {
      for (const link of this.model.linksOf(event)) {
        arrows.push({
          from: link.out ? event : link.event,
          to: link.out ? link.event : event,
          kind: LINK_NAMES[link.kind] ?? "",
        });
      }
      if (arrows.length === 0) {
        const launched = this.model.launchedBy(event, MAX_ARROWS);
        for (const [from, to] of launched) {
          arrows.push({ from, to, kind: "launch" });
        }
      }
      for (const node of this.model.inputsOf(event)) {
        const from = this.model.nearest(node, event, false);
        if (from >= 0) arrows.push({ from, to: event, kind: "data" });
      }
      const producer = this.model.producerOf(event);
      if (producer >= 0)
        arrows.push({ from: producer, to: event, kind: "data" });
      for (const node of this.model.readersOf(event).slice(0, MAX_ARROWS)) {
        const to = this.model.nearest(node, event, true);
        if (to >= 0) arrows.push({ from: event, to, kind: "data" });
      }
    }
    this.timeline.arrows = arrows.slice(0, MAX_ARROWS);
  }
  // Shows and opens the lane of the event, and moves the view as little as needed.
  reveal(event: number) {
    const lane = this.model.laneOf[event];
    if (this.layout.itemOfLane(lane)?.open !== true) {
      this.layout.reveal(`l${lane}`);
      this.lanesChanged();
    }
    const { start, duration } = this.model.data;
    const size = this.view.to - this.view.from;
    const begin = start[event];
    const end = begin + duration[event];
    if (end < this.view.from || begin > this.view.to) {
      const middle = (begin + end) / 2;
      this.view.set(middle - size / 2, middle + size / 2);
    }
    const y = this.timeline.yOf(event);
    const room = this.timeline.height;
    const top = TOP + this.timeline.sticky;
    const fixed =
      this.timeline.sticky > 0 && this.timeline.itemOf(event)?.pinned;
    if (y !== undefined && !fixed && (y < top + 20 || y > room - 20)) {
      this.view.y += y - (top + room) / 2;
    }
    this.view.settle();
  }
  revealDevice(device: number) {
    const lane = this.model.lanes.find((l) => l.lane.device === device);
    this.layout.closed.delete(`d${device}`);
    this.layout.closed.delete(
      `p${this.model.data.head.devices[device].process}`,
    );
    this.layout.update();
    const find = () => this.layout.items.find((i) => i.key === `d${device}`);
    // All of its lanes may be hidden.
    if (!find() && lane) this.layout.reveal(`l${lane.index}`);
    this.view.y = (find()?.y ?? this.view.y) - this.timeline.sticky;
    this.lanesChanged();
  }
  stepOf(event: number): Step | undefined {
    const { data } = this.model;
    const index = data.step[event];
    if (index < 0) return undefined;
    const number = data.head.stepNumbers[index];
    const lane = this.model.laneHead(event);
    const { process } = data.head.devices[lane.device];
    const all = data.steps.filter((s) => s.number === number);
    return (
      all.find(
        (s) =>
          s.process === process &&
          s.start <= data.start[event] &&
          data.start[event] <= s.end,
      ) ??
      all.find((s) => s.process === process) ??
      all[0]
    );
  }
  // ---- search, filters, colours

  search(query: string) {
    this.query = query;
    this.applyChoice();
  }
  setFilter(filter: Filter) {
    this.filter = filter;
    this.applyChoice();
  }
  problem = "";
  private applyChoice() {
    this.problem = "";
    try {
      this.model.choose(chosenEvents(this.model, this.query, this.filter));
    } catch (error) {
      if (!(error instanceof BadQuery)) throw error;
      this.problem = error.message;
    }
    this.minimap.invalidate();
    this.redraw();
    this.renderPanel();
    this.writeLink();
    this.changed();
  }
  // "3 of 215"; "" without a search.
  get found(): string {
    if (this.problem !== "") return this.problem;
    if (!this.model.chosen) return "";
    const { selected } = this.timeline;
    const total = count(this.model.numChosen);
    return selected >= 0 && this.model.chosen[selected]
      ? `${count(rankOf(this.model, selected))} of ${total}`
      : `${total} found`;
  }
  findNext(back: boolean) {
    const event = nextChosen(this.model, this.timeline.selected, back);
    if (event >= 0) this.select(event, true);
  }
  setColors(mode: ColorMode) {
    this.colors.set(mode);
    this.redraw();
    this.writeLink();
    this.changed();
  }

  // ---- the range of sums

  scopeIsAll(): boolean {
    return !this.timeline.range && this.sumsOf === "all";
  }
  scopeRange(): Range {
    if (this.timeline.range) return this.timeline.range;
    const all = { from: 0, to: this.model.data.head.span };
    return this.sumsOf === "all"
      ? all
      : {
          from: Math.max(0, this.view.from),
          to: Math.min(all.to, this.view.to),
        };
  }
  scopeName(): string {
    const { range } = this.timeline;
    const base = range
      ? range.lanes
        ? `the selected range, ${count(range.lanes.size)} of ` +
          `${count(this.model.lanes.length)} lanes`
        : "the selected range"
      : this.sumsOf === "all"
        ? "all of the page"
        : "the view";
    return this.model.chosen ? `${base}, chosen events` : base;
  }
  isWhole(range: Range): boolean {
    return (
      !range.lanes && range.from <= 0 && range.to >= this.model.data.head.span
    );
  }

  // ---- findings and counters

  // The event that a finding is about; undefined if it names none.
  placeOfFinding(index: number): number | undefined {
    if (!this.findingPlaces.has(index)) {
      const { subject, text } = this.model.data.head.findings[index];
      this.findingPlaces.set(index, placeOf(this.model, subject, text));
    }
    return this.findingPlaces.get(index);
  }
  private markFindings() {
    const { theme } = this.timeline;
    this.timeline.marks = [];
    this.model.data.head.findings.forEach((finding, i) => {
      const event = this.placeOfFinding(i);
      if (event === undefined || finding.severity === "info") return;
      this.timeline.marks.push({
        at: this.model.data.start[event],
        finding: i,
        color: finding.severity === "critical" ? "#d55e00" : theme.warn,
      });
    });
  }
  // Shows the place of a finding, and its text or its event.
  showFinding(index: number, tab: "findings" | "selection") {
    this.finding = index;
    const event = this.placeOfFinding(index);
    if (event === undefined) return;
    this.select(event, true);
    this.openTab(tab);
  }
  // Shows the part of time that the critical path is about.
  showPath() {
    const { path } = this.model.data;
    let from = Infinity;
    let to = -Infinity;
    for (const [event, { onPath }] of path) {
      if (onPath <= 0) continue;
      from = Math.min(from, this.model.data.start[event]);
      to = Math.max(to, this.model.end(event));
    }
    if (to < from) return;
    this.timeline.pathOn = true;
    this.zoomTo(from, to);
  }
  showCounter(counter: number, at: number) {
    const key = `c${counter}`;
    this.layout.reveal(key);
    this.lanesChanged();
    const item = this.layout.items.find((i) => i.key === key);
    if (item) this.timeline.scrollTo(item);
    const size = Math.min(this.view.to - this.view.from, this.view.span / 4);
    this.view.set(at - size / 2, at + size / 2);
    this.settle();
  }

  // ---- panel and address

  openTab(tab: string) {
    this.tab = tab;
    this.renderPanel();
    this.writeLink();
  }
  private writeLink() {
    if (this.linkAsked) return;
    this.linkAsked = window.setTimeout(() => {
      this.linkAsked = 0;
      const { range, selected } = this.timeline;
      const { choice } = this.layout;
      const closed = formatKeys(sortKeys(this.layout.closed));
      const lanes = [...(range?.lanes ?? [])].sort((a, b) => a - b);
      const link = formatLink({
        from: this.view.from,
        to: this.view.to,
        y: this.view.y,
        event: selected >= 0 ? selected : undefined,
        range: range ? [range.from, range.to] : undefined,
        rangeLanes: formatKeys(lanes.map((l) => `l${l}`)),
        pinned: formatKeys(choice.pinned),
        hidden: formatKeys(sortKeys(choice.hidden)),
        closed: closed === this.usuallyClosed ? undefined : closed,
        laneFilter: choice.filter,
        names: this.ownNames > 0 ? this.ownNames : undefined,
        query: this.query,
        color: this.colors.mode === "type" ? undefined : this.colors.mode,
        tab: this.tab === "devices" ? undefined : this.tab,
      });
      try {
        history.replaceState(null, "", link);
      } catch {
        // A browser may refuse this for a page from a file.
      }
    }, 250);
  }
  readLink() {
    const link = parseLink(location.hash);
    if (link.from !== undefined && link.to !== undefined) {
      this.view.set(link.from, link.to);
    }
    const mode = COLOR_MODES.find((m) => m === link.color);
    if (mode) this.colors.set(mode);
    const { head } = this.model.data;
    const keys = (text: string | undefined, letters: string) =>
      parseKeys(text ?? "", {
        p: letters.includes("p") ? head.processes.length : 0,
        d: letters.includes("d") ? head.devices.length : 0,
        l: head.lanes.length,
        c: letters.includes("c") ? head.counters.length : 0,
      });
    const { choice } = this.layout;
    choice.hidden.clear();
    choice.pinned = keys(link.pinned, "c");
    choice.hide(keys(link.hidden, "c"));
    choice.filter = link.laneFilter ?? "";
    this.layout.closed = new Set(keys(link.closed ?? this.usuallyClosed, "pd"));
    this.layout.update();
    if (link.names !== undefined && link.names > 0) this.setNames(link.names);
    if (link.query) this.search(link.query);
    if (
      link.event !== undefined &&
      Number.isInteger(link.event) &&
      link.event >= 0 &&
      link.event < this.model.size
    ) {
      this.select(link.event, false);
      this.layout.reveal(`l${this.model.laneOf[link.event]}`);
    }
    if (link.subject) {
      const { findings } = this.model.data.head;
      const of = findings.find(
        (f) => f.subject === link.subject && f.rule === link.rule,
      );
      const event = placeOf(this.model, link.subject, of?.text);
      if (event === undefined) this.search(link.subject);
      else this.select(event, true);
    }
    if (link.range) {
      const lanes = keys(link.rangeLanes, "").map((k) => Number(k.slice(1)));
      this.setRange({
        from: link.range[0],
        to: link.range[1],
        lanes: lanes.length > 0 ? new Set(lanes) : undefined,
      });
    }
    if (link.y !== undefined) this.view.y = link.y;
    if (link.tab && this.panel.has(link.tab)) this.tab = link.tab;
    this.view.settle();
    this.layoutChanged();
    this.renderPanel();
    this.changed();
  }
}
