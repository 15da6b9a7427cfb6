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
import { Gutter } from "./gutter";
import { Layout } from "./layout";
import { Minimap } from "./minimap";
import { Model } from "./model";
import { TOP } from "./ruler";
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
  readonly minimap: Minimap;
  filter: Filter = { ...NO_FILTER };
  query = "";
  tab = "devices";
  arrowsOn = true;
  opsBy = "type";
  measure = "bytes";
  sumsOf = "all"; // or "view"
  finding = -1;
  // Called when the state that the controls show may have changed.
  changed: () => void = () => undefined;
  frames = 0;
  private asked = 0;
  private panelAsked = 0;
  private linkAsked = 0;
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
    this.gutter = new Gutter(byId("gutter"), this.layout, (item) => {
      this.layout.toggle(item.key);
      this.layoutChanged();
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
    this.gutter.update(this.view.y, this.timeline.height - TOP);
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

  select(event: number, reveal: boolean) {
    this.timeline.selected = event;
    if (event >= 0) {
      this.timeline.range = undefined;
      this.tab = "selection";
      if (reveal) this.reveal(event);
    }
    this.updateArrows();
    this.redraw();
    this.renderPanel();
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
    this.redraw();
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
  // Opens the lane of the event, and moves the view as little as needed.
  reveal(event: number) {
    const lane = this.model.laneOf[event];
    if (this.layout.itemOfLane(lane)?.open !== true) {
      this.layout.reveal(lane);
      this.gutter.invalidate();
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
    if (y !== undefined && (y < TOP + 20 || y > room - 20)) {
      this.view.y += y - (TOP + room) / 2;
    }
    this.view.settle();
  }
  revealDevice(device: number) {
    this.layout.closed.delete(`d${device}`);
    this.layout.closed.delete(
      `p${this.model.data.head.devices[device].process}`,
    );
    this.layout.update();
    const item = this.layout.items.find((i) => i.key === `d${device}`);
    if (item) this.view.y = item.y;
    this.layoutChanged();
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
    if (this.tab !== "selection" || this.timeline.range) this.renderPanel();
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
    const base = this.timeline.range
      ? "the selected range"
      : this.sumsOf === "all"
        ? "all of the page"
        : "the view";
    return this.model.chosen ? `${base}, chosen events` : base;
  }
  isWhole(range: Range): boolean {
    return range.from <= 0 && range.to >= this.model.data.head.span;
  }

  // ---- findings and counters

  // The event that a finding is about; undefined if it names none.
  placeOfFinding(index: number): number | undefined {
    if (!this.findingPlaces.has(index)) {
      this.findingPlaces.set(
        index,
        placeOf(this.model, this.model.data.head.findings[index].subject),
      );
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
  showFinding(index: number) {
    this.finding = index;
    const event = this.placeOfFinding(index);
    if (event !== undefined) {
      this.select(event, true);
      this.openTab("findings");
    }
  }
  showCounter(counter: number, at: number) {
    const item = this.layout.items.find(
      (i) => i.kind === "counter" && i.index === counter,
    );
    if (item) this.view.y = item.y - 80;
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
      const link = formatLink({
        from: this.view.from,
        to: this.view.to,
        y: this.view.y,
        event: selected >= 0 ? selected : undefined,
        range: range ? [range.from, range.to] : undefined,
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
    if (link.query) this.search(link.query);
    if (
      link.event !== undefined &&
      Number.isInteger(link.event) &&
      link.event >= 0 &&
      link.event < this.model.size
    ) {
      this.select(link.event, false);
      this.layout.reveal(this.model.laneOf[link.event]);
    }
    if (link.subject) {
      const event = placeOf(this.model, link.subject);
      if (event === undefined) this.search(link.subject);
      else this.select(event, true);
    }
    if (link.range) {
      this.setRange({ from: link.range[0], to: link.range[1] });
    }
    if (link.y !== undefined) this.view.y = link.y;
    if (link.tab && this.panel.has(link.tab)) this.tab = link.tab;
    this.view.settle();
    this.layoutChanged();
    this.renderPanel();
    this.changed();
  }
}
