// Figures of the live page: durations, a small chart, the cost of tracing.

import { micros, showable } from "../../shared/format";
import type { Order, Run, Trace } from "./store";

export const duration = (ns: number | null) =>
  ns === null ? "–" : micros(ns / 1000);

// The points of a chart of this size, oldest at the left.
export function sparkPoints(
  values: number[],
  width: number,
  height: number,
): string {
  if (values.length === 0) return "";
  const most = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  return values
    .map(
      (value, i) =>
        `${(i * step).toFixed(1)},${(height - (value / most) * height).toFixed(1)}`,
    )
    .join(" ");
}

// How much longer a traced run takes; undefined if unknown.
export function overhead(run: Run): number | undefined {
  if (run.traced_mean_ns === null || !run.mean_ns) return undefined;
  return run.traced_mean_ns / run.mean_ns - 1;
}

export function percent(part: number): string {
  const shown = (part * 100).toFixed(Math.abs(part) < 0.1 ? 1 : 0);
  return `${part > 0 ? "+" : ""}${shown} %`;
}

// A trace compared with the median of its run.
export function delta(trace: Trace, run: Run | undefined): string {
  if (!run?.p50_ns || trace.duration_ns === null) return "–";
  return percent(trace.duration_ns / run.p50_ns - 1);
}

// The names in the text of fetches, which is often the text of a list of
// tensors.
export function runName(fetches: string): string {
  const names = [...fetches.matchAll(/name:\s*"([^"]+)"|'([^']+)'/g)].map(
    (m) => m[1] ?? m[2],
  );
  return showable(names.length > 0 ? [...new Set(names)].join(", ") : fetches);
}

export function orderText(order: Order): string {
  const left = order.left === null ? "" : `, ${order.left} left`;
  const why = order.why === "" ? "" : `: ${order.why}`;
  return `${order.rule} ${order.state}${left}${why}`;
}
