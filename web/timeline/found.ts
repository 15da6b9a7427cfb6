// The list of the events that search and filters have found.

import { Cell, el, MAX_ROWS, table } from "../shared/dom";
import { count, exactNanos, time } from "../shared/format";
import { App } from "./app";
import { Model } from "./model";

export type HitOrder = "name" | "lane" | "start" | "duration";
export const HIT_ORDERS: HitOrder[] = ["name", "lane", "start", "duration"];

// The first `most` of the chosen events in an order, or with `down` the last
// ones, in that order. Later events lose a tie.
export function hits(
  model: Model,
  order: HitOrder,
  down: boolean,
  most: number,
): number[] {
  const { data, chosen } = model;
  const compare: Record<HitOrder, (a: number, b: number) => number> = {
    name: (a, b) => {
      const x = model.labelOf(a);
      const y = model.labelOf(b);
      return x < y ? -1 : x > y ? 1 : 0;
    },
    lane: (a, b) => model.laneOf[a] - model.laneOf[b],
    start: (a, b) => data.start[a] - data.start[b],
    duration: (a, b) => data.duration[a] - data.duration[b],
  };
  const of = compare[order];
  const before = (a: number, b: number) =>
    (down ? of(b, a) : of(a, b)) || a - b;
  let best: number[] = [];
  // The list is sorted and cut each time that it has twice the size, so that
  // millions of events need no sort of all.
  const cut = () => {
    best = best.sort(before).slice(0, most);
  };
  let last = -1; // of a full list
  for (let e = 0; e < model.size; ++e) {
    if (chosen && !chosen[e]) continue;
    if (last >= 0 && before(e, last) > 0) continue;
    best.push(e);
    if (best.length < 2 * most) continue;
    cut();
    last = best[most - 1];
  }
  cut();
  return best;
}

export function renderFound(app: App, root: HTMLElement) {
  const { model } = app;
  const { perMicro, data } = model;
  const head = el("div", { class: "panel-head" }, el("h2", { text: "Found" }));
  root.append(head);
  if (!model.chosen) {
    root.append(
      el("p", {
        class: "faint",
        text: "Search (/) or filter events to get a list of them.",
      }),
    );
    return;
  }
  const { order, down } = app.hitOrder;
  const list = hits(model, order, down, MAX_ROWS);
  const total = count(model.numChosen);
  const ends = {
    name: ["first", "last"],
    lane: ["first", "last"],
    start: ["earliest", "latest"],
    duration: ["shortest", "longest"],
  };
  const which =
    list.length < model.numChosen
      ? `the ${count(list.length)} ${ends[order][down ? 1 : 0]} of ${total} ` +
        "are listed; a heading changes which"
      : `${total} of ${total} are listed`;
  head.append(el("span", { class: "faint", text: which }));
  const { choice } = app.layout;
  root.append(
    table(
      "events found",
      [
        { title: "Name" },
        { title: "Lane" },
        { title: "Start", right: true },
        { title: "Duration", right: true },
      ],
      list.map((e): Cell[] => {
        const lane = `l${model.laneOf[e]}`;
        const hidden = choice.hidden.has(lane) ? " (hidden)" : "";
        return [
          { text: model.labelOf(e) },
          { text: app.layout.fullName(lane) + hidden },
          {
            text: time(data.start[e], perMicro),
            title: exactNanos(data.start[e], perMicro),
          },
          {
            text: time(data.duration[e], perMicro),
            title: exactNanos(data.duration[e], perMicro),
          },
        ];
      }),
      (row) => app.select(list[row], true, true),
      HIT_ORDERS.indexOf(order),
      {
        down,
        choose: (column, isDown) => {
          app.hitOrder = { order: HIT_ORDERS[column], down: isDown };
          app.renderPanel();
          // The heading is a new element.
          requestAnimationFrame(() =>
            root.querySelectorAll<HTMLElement>("th button")[column].focus(),
          );
        },
      },
    ),
  );
}
