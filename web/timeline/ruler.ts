// The ruler of the timeline: times, steps, findings, and the selected range.

import { axisTime, time } from "../shared/format";
import type { Timeline } from "./timeline";

export const TOP = 46; // the height of the ruler and the steps
export const FONT = "11px system-ui, sans-serif";

export function drawSteps(timeline: Timeline) {
  const { context, theme } = timeline;
  context.strokeStyle = theme.accent;
  const { steps } = timeline.model.data;
  const shown = steps.filter(
    (s) => s.end > timeline.view.from && s.start < timeline.view.to,
  ).length;
  // Many opaque lines would hide the bars behind them.
  context.globalAlpha = 0.45 * Math.min(1, timeline.width / (shown + 1) / 60);
  context.lineWidth = 1;
  context.beginPath();
  let before = -10;
  for (const step of steps) {
    for (const at of [step.start, step.end]) {
      const x = Math.round(timeline.xOf(at)) + 0.5;
      if (x < 0 || x > timeline.width || x - before < 3) continue;
      before = x;
      context.moveTo(x, TOP);
      context.lineTo(x, timeline.height);
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

export function drawRuler(timeline: Timeline) {
  const { context, theme, model } = timeline;
  context.fillStyle = theme.head;
  context.fillRect(0, 0, timeline.width, TOP);
  context.font = FONT;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const least = timeline.perPixel * 96;
  let step = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) {
    if (step * factor >= least) {
      step *= factor;
      break;
    }
  }
  const first = Math.ceil(timeline.view.from / step);
  context.fillStyle = theme.text;
  for (let k = first; k * step <= timeline.view.to; ++k) {
    const x = Math.round(timeline.xOf(k * step));
    context.globalAlpha = 0.35;
    context.fillRect(x, 14, 1, 8);
    context.globalAlpha = 0.08;
    context.fillRect(x, TOP, 1, timeline.height);
    const text = axisTime(k * step, step, model.perMicro);
    if (x + 4 + context.measureText(text).width > timeline.width) continue;
    context.globalAlpha = 0.85;
    context.fillText(text, x + 4, 11);
  }
  context.globalAlpha = 1;
  let textUntil = 0;
  model.data.steps.forEach((of, i) => {
    const x0 = Math.max(-1, timeline.xOf(of.start));
    const x1 = Math.min(timeline.width + 1, timeline.xOf(of.end));
    if (x1 < 0 || x0 > timeline.width) return;
    context.fillStyle = theme.accent;
    context.globalAlpha = i % 2 === 0 ? 0.3 : 0.18;
    context.fillRect(x0, 24, Math.max(1, x1 - x0 - 1), 18);
    context.globalAlpha = 1;
    const text =
      x1 - x0 < 40
        ? ""
        : timeline.fit(
            `step ${of.number} · ${time(of.end - of.start, model.perMicro)}`,
            x1 - Math.max(x0, 0) - 8,
          );
    if (text !== "" && Math.max(x0, 0) + 4 >= textUntil) {
      context.fillStyle = theme.text;
      context.fillText(text, Math.max(x0, 0) + 5, 33.5);
      textUntil = x1;
    }
  });
  for (const mark of timeline.marks) {
    const x = timeline.xOf(mark.at);
    if (x < -6 || x > timeline.width + 6) continue;
    context.fillStyle = mark.color;
    context.beginPath();
    context.moveTo(x - 6, 23);
    context.lineTo(x + 6, 23);
    context.lineTo(x, 33);
    context.fill();
  }
  context.fillStyle = theme.line;
  context.fillRect(0, TOP - 1, timeline.width, 1);
  if (timeline.cursor >= 0) {
    context.fillStyle = theme.text;
    context.globalAlpha = 0.35;
    context.fillRect(Math.round(timeline.cursor), TOP, 1, timeline.height);
    context.globalAlpha = 1;
  }
  if (timeline.range || timeline.box) drawRangeLabel(timeline);
}

// The ends of the range, or of the box that is being drawn.
function rangeEnds(timeline: Timeline): [number, number] {
  const { box, range } = timeline;
  return box
    ? [
        timeline.timeAt(Math.min(box.x0, box.x1)),
        timeline.timeAt(Math.max(box.x0, box.x1)),
      ]
    : [range?.from ?? 0, range?.to ?? 0];
}

function drawRangeLabel(timeline: Timeline) {
  const { context, theme } = timeline;
  const [from, to] = rangeEnds(timeline);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.8;
  for (const at of [from, to]) {
    context.fillRect(Math.round(timeline.xOf(at)) - 0.5, 0, 1, TOP);
  }
  context.globalAlpha = 1;
  const text = time(to - from, timeline.model.perMicro);
  const wide = context.measureText(text).width + 10;
  const x = Math.min(
    timeline.width - wide - 2,
    Math.max(2, (timeline.xOf(from) + timeline.xOf(to) - wide) / 2),
  );
  context.fillStyle = theme.accent;
  context.fillRect(x, 2, wide, 18);
  context.fillStyle = theme.back;
  context.fillText(text, x + 5, 11.5);
}
