// The timeline with the names of its lanes as one picture, for a file and for
// paper: names and lanes are on one canvas, so that they cannot move apart.

import { showable, time } from "../shared/format";
import { Theme } from "../shared/theme";
import { App } from "./app";
import { KIND_COLORS } from "./colors";
import { LaneChoice } from "./lanes";
import { Item, Layout } from "./layout";
import { FONT, TOP } from "./ruler";
import { Range } from "./sums";
import { Timeline } from "./timeline";
import { View } from "./view";

const TITLE = 24; // the height of the line above the lanes
// Browsers refuse larger pictures.
const MAX_PIXELS = 1 << 27;
const MAX_HEIGHT = 16000;

export interface Picture {
  canvas: HTMLCanvasElement;
  cut: boolean; // further lanes below have no room
}

// Draws the lanes of the range, or else those that are shown, for the time of
// the range. `width` is in pixels of the page.
export function drawPicture(
  app: App,
  range: Range,
  theme: Theme,
  width: number,
): Picture {
  const choice = new LaneChoice();
  const { model } = app;
  const shown = app.layout.choice;
  choice.pinned = [...shown.pinned];
  choice.hide([...shown.hidden]);
  choice.filter = shown.filter;
  const { lanes } = range;
  if (lanes) {
    choice.filter = "";
    choice.show(model.lanes.map((_, l) => `l${l}`));
    choice.hide([
      ...model.lanes.flatMap((_, l) => (lanes.has(l) ? [] : [`l${l}`])),
      ...model.data.head.counters.map((_, c) => `c${c}`),
    ]);
  }
  const layout = new Layout(model, choice);
  layout.closed = new Set(app.layout.closed);
  layout.update();
  const view = new View(model.data.head.span);
  view.set(range.from, range.to);
  const timeline = new Timeline(
    document.createElement("canvas"),
    model,
    layout,
    view,
    app.colors,
  );
  timeline.theme = theme;
  timeline.pathOn = app.timeline.pathOn;
  timeline.selected = app.timeline.selected;
  timeline.arrows = app.timeline.arrows;
  timeline.marks = app.timeline.marks;
  const names = Math.min(app.names, Math.floor(width / 3));
  const full = TOP + layout.height;
  let scale = 2;
  const tall = full + TITLE;
  if (tall * width * scale ** 2 > MAX_PIXELS || tall * scale > MAX_HEIGHT) {
    scale = 1;
  }
  const height = Math.min(full, MAX_HEIGHT - TITLE);
  timeline.resize(width - names, height, scale);
  timeline.draw();

  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = (TITLE + height) * scale;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.scale(scale, scale);
  context.fillStyle = theme.back;
  context.fillRect(0, 0, width, TITLE + height);
  context.drawImage(timeline.canvas, names, TITLE, width - names, height);
  context.textBaseline = "middle";
  context.font = FONT;
  context.fillStyle = theme.text;
  const { perMicro } = model;
  const title =
    `${showable(model.data.head.title)} · ` +
    `${time(view.from, perMicro)} to ${time(view.to, perMicro)} · ` +
    `${layout.shown} of ${layout.all} ${layout.noun}`;
  context.fillText(title, 8, TITLE / 2);
  for (const item of layout.items) {
    drawName(context, timeline, item, names - 8, TITLE);
  }
  return { canvas, cut: height < full };
}

function drawName(
  context: CanvasRenderingContext2D,
  timeline: Timeline,
  item: Item,
  width: number,
  down: number,
) {
  const { theme } = timeline;
  const top = down + timeline.topOf(item);
  const isLeaf = item.kind === "lane" || item.kind === "counter";
  context.fillStyle = isLeaf ? theme.lane : theme.head;
  context.fillRect(0, top, width + 8, item.height - 1);
  let x = 8 + item.level * 10;
  if (item.kind === "lane" && timeline.colors.areKinds) {
    context.fillStyle = KIND_COLORS[timeline.layout.kindOf(item.index)];
    context.fillRect(x, top + 6, 8, 8);
    x += 13;
  }
  context.font = isLeaf ? FONT : `bold ${FONT}`;
  context.fillStyle = isLeaf ? theme.faint : theme.text;
  const middle = top + (isLeaf ? 10 : item.height / 2);
  context.save();
  context.beginPath();
  context.rect(0, top, width, item.height);
  context.clip();
  context.fillText(showable(item.label), x, middle);
  context.restore();
}
