// What is under the pointer, in a few lines: an event, or the value of a counter.

import { byId, el } from "../shared/dom";
import { amount, bytes, count, share, showable, time } from "../shared/format";
import { App } from "./app";
import { levelIn } from "./levels";

const MAX_FIELDS = 4;

function eventLines(app: App, event: number): string[] {
  const { model } = app;
  const { data, perMicro } = model;
  const duration = data.duration[event];
  const self = model.selfOf(event);
  const lane = model.laneHead(event);
  const lines = [
    `${time(duration, perMicro)} · at ${time(data.start[event], perMicro)}`,
    self < duration
      ? `self ${time(self, perMicro)} (${share(self, duration)})`
      : "",
    model.opOf(event) !== model.nameOf(event) ? model.opOf(event) : "",
    `${model.deviceName(lane.device)} · ${model.laneName(model.laneOf[event])}`,
  ];
  const moved = model.transfer(event);
  if (moved) {
    lines.push(
      `${moved.bytes >= 0 ? bytes(moved.bytes) + " " : ""}` +
        `${model.text(moved.from)} → ${model.text(moved.to)}`,
    );
  }
  const fields = data.details[data.detail[event]] ?? [];
  for (const [key, value] of fields.slice(0, MAX_FIELDS)) {
    lines.push(`${model.text(key)}: ${model.text(value).slice(0, 120)}`);
  }
  if (fields.length > MAX_FIELDS) {
    lines.push(`${fields.length - MAX_FIELDS} more fields: click`);
  }
  return lines.filter((line) => line !== "");
}

// The value at the time of the pointer; if its pixel has several, also these.
function counterLines(app: App, counter: number, x: number): string[] {
  const { timeline, model } = app;
  const { unit } = model.data.head.counters[counter];
  const level = timeline.levelOf(counter);
  const at = timeline.timeAt(x);
  const index = level.indexAt(at);
  const lines = [
    index < 0
      ? `no value before ${time(level.time[0] ?? 0, model.perMicro)}`
      : `${amount(level.value[index], unit)} · at ${time(at, model.perMicro)}`,
  ];
  const pixel = levelIn(level, at, at + timeline.perPixel);
  if (pixel.samples > 0) {
    lines.push(
      `${count(pixel.samples)} sample${pixel.samples > 1 ? "s" : ""} ` +
        "in this pixel, values from " +
        `${amount(pixel.least, unit)} to ${amount(pixel.most, unit)}`,
    );
  }
  return lines;
}

// Shows the tip of what is at a place of the canvas; without anything there, it
// hides the tip. `left` and `top` are the place in the window.
export function showTip(
  app: App,
  x: number,
  y: number,
  left: number,
  top: number,
) {
  const { timeline, model } = app;
  const event = timeline.eventAt(x, y);
  const item = timeline.itemAt(y);
  timeline.hovered = event;
  timeline.pointed =
    item?.kind === "counter"
      ? { counter: item.index, at: timeline.timeAt(x) }
      : undefined;
  app.redraw();
  const tip = byId("tip");
  if (event < 0 && !timeline.pointed) {
    tip.hidden = true;
    return;
  }
  const [name, lines] = timeline.pointed
    ? [
        showable(item?.label ?? ""),
        counterLines(app, timeline.pointed.counter, x),
      ]
    : [model.labelOf(event), eventLines(app, event)];
  tip.replaceChildren(
    el("strong", { text: name }),
    ...lines.map((text) => el("span", { text })),
  );
  tip.hidden = false;
  const wide = tip.offsetWidth;
  const tall = tip.offsetHeight;
  const right = Math.min(window.innerWidth - wide - 8, left + 14);
  const below = top + 18;
  tip.style.left = `${Math.max(4, right)}px`;
  tip.style.top = `${
    below + tall > window.innerHeight ? Math.max(4, top - tall - 10) : below
  }px`;
}

export function hideTip(app: App) {
  byId("tip").hidden = true;
  if (app.timeline.hovered < 0 && !app.timeline.pointed) return;
  app.timeline.hovered = -1;
  app.timeline.pointed = undefined;
  app.redraw();
}
