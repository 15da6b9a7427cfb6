// Draws the layers of the memory page on its canvas.

import { axisTime, bytes, count } from "../shared/format";
import { readTheme } from "../shared/theme";
import { Row } from "./client";
import { byteMarks, Span, stack } from "./memory_map";

export interface ChartMarks {
  span: Span;
  layers: number;
  most: number; // bytes at the top
  peak: number; // the event
  point: number; // under the pointer; -1: none
  chosen: number; // the selected layer; -1: none
  failures: Row[];
}

// Around the plot, in CSS pixels.
export const PLOT = { left: 78, right: 12, top: 18, bottom: 24 };

// Neighbours differ in hue and lightness, so that all people tell them apart.
const COLORS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#7fcf9f",
  "#8458a8",
  "#f0d060",
  "#1b4f72",
  "#f2a58e",
  "#6b8e23",
];
const OTHER = "#8a8f98";

export function colorOf(layer: number, layers: number): string {
  return layer >= layers ? OTHER : COLORS[layer % COLORS.length];
}

export function drawMemory(
  canvas: HTMLCanvasElement,
  points: Row[],
  marks: ChartMarks,
) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  const theme = readTheme();
  const { span } = marks;
  const right = width - PLOT.right;
  const base = height - PLOT.bottom;
  const x = (place: number) =>
    PLOT.left +
    ((place - span.from) / (span.to - span.from || 1)) * (right - PLOT.left);
  const y = (amount: number) =>
    base - (amount / marks.most) * (base - PLOT.top);
  context.fillStyle = theme.lane;
  context.fillRect(PLOT.left, PLOT.top, right - PLOT.left, base - PLOT.top);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const mark of byteMarks(marks.most)) {
    context.fillStyle = theme.line;
    context.fillRect(PLOT.left, y(mark), right - PLOT.left, 1);
    context.fillStyle = theme.faint;
    context.fillText(bytes(mark), PLOT.left - 6, y(mark));
  }
  const from = span.byTime ? "from_micros" : "from_event";
  context.save();
  context.beginPath();
  context.rect(PLOT.left, 0, right - PLOT.left, height);
  context.clip();
  // Whole pixels, so that no line shows between columns.
  const whole = (at: number) => Math.round(at * ratio) / ratio;
  const edges = points.map((row) => whole(x(Number(row[from] ?? 0))));
  const last = span.byTime ? span.to : span.to + 1;
  edges.push(points.length > 0 ? Math.max(x(last), right) : right);
  points.forEach((row, i) => {
    let sum = 0;
    stack(row, marks.layers).forEach((held, layer) => {
      if (held <= 0) return;
      context.globalAlpha =
        marks.chosen >= 0 && marks.chosen !== layer ? 0.35 : 1;
      context.fillStyle = colorOf(layer, marks.layers);
      const top = y(sum + held);
      context.fillRect(edges[i], top, edges[i + 1] - edges[i], y(sum) - top);
      sum += held;
    });
  });
  context.globalAlpha = 1;
  drawReserved(context, points, edges, y, theme.text);
  const peak = points.findIndex((row) => Number(row.event) === marks.peak);
  if (peak >= 0) {
    const middle = (edges[peak] + edges[peak + 1]) / 2;
    line(context, middle, PLOT.top, base, theme.text, [4, 3]);
    context.fillStyle = theme.text;
    context.textAlign = middle > width - 160 ? "right" : "left";
    const text = `peak ${bytes(Number(points[peak].allocated_bytes))}`;
    context.fillText(text, middle + (middle > width - 160 ? -5 : 5), 9);
  }
  for (const failure of marks.failures) {
    const place = Number(span.byTime ? failure.micros : failure.event);
    drawFailure(context, x(place), base, theme.warn);
  }
  if (marks.point >= 0 && marks.point < points.length) {
    const middle = (edges[marks.point] + edges[marks.point + 1]) / 2;
    line(context, middle, PLOT.top, base, theme.accent, []);
  }
  context.restore();
  drawAxis(context, span, x, base, theme.faint);
}

function drawReserved(
  context: CanvasRenderingContext2D,
  points: Row[],
  edges: number[],
  y: (amount: number) => number,
  color: string,
) {
  context.strokeStyle = color;
  context.lineWidth = 1.25;
  context.beginPath();
  points.forEach((row, i) => {
    if (typeof row.reserved_bytes !== "number") return;
    context.lineTo(edges[i], y(row.reserved_bytes));
    context.lineTo(edges[i + 1], y(row.reserved_bytes));
  });
  context.stroke();
}

function line(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  base: number,
  color: string,
  dash: number[],
) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, base);
  context.stroke();
  context.setLineDash([]);
}

// A triangle on the axis, and a line up.
function drawFailure(
  context: CanvasRenderingContext2D,
  x: number,
  base: number,
  color: string,
) {
  line(context, x, PLOT.top, base, color, []);
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(x, PLOT.top + 9);
  context.lineTo(x - 6, PLOT.top);
  context.lineTo(x + 6, PLOT.top);
  context.fill();
}

function drawAxis(
  context: CanvasRenderingContext2D,
  span: Span,
  x: (place: number) => number,
  base: number,
  color: string,
) {
  context.fillStyle = color;
  const parts = 4;
  for (let i = 0; i <= parts; ++i) {
    const place = span.from + ((span.to - span.from) * i) / parts;
    context.textAlign = i === 0 ? "left" : i === parts ? "right" : "center";
    const text = span.byTime
      ? axisTime(place, (span.to - span.from) / parts / 10, 1)
      : count(Math.round(place));
    context.fillText(text, x(place), base + 13);
  }
}
