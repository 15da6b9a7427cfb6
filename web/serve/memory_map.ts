// What the memory page computes for its picture: the window of a zoom, and the
// points of the layers. All bytes come from the server.

import { Row, Table } from "./client";

// A window of the history: events, or microseconds since the first one.
export interface Span {
  from: number;
  to: number;
  byTime: boolean;
}

// The fewest events that fill the chart.
const LEAST_EVENTS = 4;
const LEAST_MICROS = 0.004;

// "100:2000", or "0us:1500us".
export function windowText(span: Span): string {
  return span.byTime
    ? `${Math.round(span.from * 1000)}ns:${Math.round(span.to * 1000)}ns`
    : `${Math.round(span.from)}:${Math.round(span.to)}`;
}

// Reads what windowText() writes; undefined if it is something else.
export function parseWindow(text: string): Span | undefined {
  const match = /^(\d+)(ns)?:(\d+)(ns)?$/.exec(text);
  if (!match || match[2] !== match[4]) return undefined;
  const byTime = match[2] !== undefined;
  const scale = byTime ? 1000 : 1;
  return {
    from: Number(match[1]) / scale,
    to: Number(match[3]) / scale,
    byTime,
  };
}

// The window after a zoom by `factor` (below 1: closer) around `at`, a part of
// the width from 0 to 1. It stays inside 0 to `end`.
export function zoomed(
  span: Span,
  end: number,
  at: number,
  factor: number,
): Span {
  const least = Math.min(end, span.byTime ? LEAST_MICROS : LEAST_EVENTS);
  const width = Math.min(end, Math.max(least, (span.to - span.from) * factor));
  const center = span.from + (span.to - span.from) * at;
  return kept(
    { ...span, from: center - width * at, to: center + width * (1 - at) },
    end,
  );
}

// The window moved by a part of its width.
export function moved(span: Span, end: number, by: number): Span {
  const width = span.to - span.from;
  return kept(
    { ...span, from: span.from + width * by, to: span.to + width * by },
    end,
  );
}

function kept(span: Span, end: number): Span {
  const width = Math.min(end, span.to - span.from);
  const from = Math.max(0, Math.min(end - width, span.from));
  return { ...span, from, to: from + width };
}

// The heights of the layers in a point, from below: layers, then the others.
export function stack(row: Row, layers: number): number[] {
  const heights: number[] = [];
  for (let i = 1; i <= layers; ++i)
    heights.push(Number(row[`layer_${i}_bytes`] ?? 0));
  heights.push(Number(row.other_bytes ?? 0));
  return heights;
}

// The layer at a height in bytes; -1: above all of them.
export function layerAt(heights: number[], bytes: number): number {
  let top = 0;
  for (let i = 0; i < heights.length; ++i) {
    top += heights[i];
    if (bytes < top) return i;
  }
  return -1;
}

// The point in whose part of the window the place `at` is.
export function pointAt(points: Table, span: Span, at: number): number {
  const place = span.from + (span.to - span.from) * at;
  const column = span.byTime ? "from_micros" : "from_event";
  let found = 0;
  points.rows.forEach((row, i) => {
    if (Number(row[column] ?? 0) <= place) found = i;
  });
  return found;
}

// Marks of an axis up to `most`, at most six: 1, 2 or 5 times a power of ten.
export function byteMarks(most: number): number[] {
  if (most <= 0) return [0];
  const unit = 10 ** Math.floor(Math.log10(most) - 1);
  const step = unit * ([1, 2, 5, 10].find((n) => most / unit / n <= 5) ?? 20);
  const marks: number[] = [];
  for (let at = 0; at <= most; at += step) marks.push(at);
  return marks;
}
