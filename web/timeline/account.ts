// The account of the wall time of a step: a bar for each device, and its parts
// as a table.

import { accountBar, accountColors, AccountPart } from "../shared/account_bar";
import { Cell, el, table } from "../shared/dom";
import { exactNanos, readable, share, showable, time } from "../shared/format";
import { App } from "./app";

// The name of the part of which nothing is known.
const NOT_RECORDED = "not recorded";

export function renderAccount(app: App, root: HTMLElement) {
  const { model } = app;
  const { head } = model.data;
  const { perMicro } = model;
  const devices = app.layout.deviceOrder.filter(
    (d) => head.devices[d].account !== undefined,
  );
  if (devices.length === 0) return;
  root.append(
    el(
      "div",
      { class: "panel-head" },
      el("h2", { text: "Account of the wall time" }),
      el("span", {
        class: "faint",
        text: `of step ${head.accountStep}; the parts add up to the wall time`,
      }),
    ),
  );
  for (const d of devices) {
    const account = head.devices[d].account ?? [];
    const wall = account.reduce((sum, part) => sum + part.ticks, 0);
    const parts: AccountPart[] = account.map((part) => ({
      name: part.name,
      kind: part.kind,
      share: wall > 0 ? part.ticks / wall : 0,
      text: `${time(part.ticks, perMicro)}, ${share(part.ticks, wall)} of the wall time`,
    }));
    const colors = accountColors(parts);
    root.append(
      el("h3", { text: model.deviceName(d) }),
      accountBar(model.deviceName(d), parts),
      table(
        `account of ${model.deviceName(d)}`,
        [
          { title: "Part" },
          { title: "Time", right: true },
          { title: "Of wall", right: true },
          { title: "Most of it" },
        ],
        account.map((part, i): Cell[] => [
          { text: showable(part.name), color: colors[i] },
          {
            text: time(part.ticks, perMicro),
            number: part.ticks,
            title: exactNanos(part.ticks, perMicro),
          },
          { text: share(part.ticks, wall), number: part.ticks },
          // Of what is not recorded, it would say the same again.
          { text: part.name === NOT_RECORDED ? "" : readable(part.most) },
        ]),
      ),
    );
  }
}
