// The panel below the timeline, and its tabs.

import { byId, button, el } from "../shared/dom";
import { count } from "../shared/format";
import { App, Panel } from "./app";
import { renderFound } from "./found";
import { renderEvent, renderRange } from "./selection";
import {
  renderDevices,
  renderFindings,
  renderLinks,
  renderMemory,
  renderOps,
  renderTree,
} from "./tabs";

interface Tab {
  id: string;
  title: string;
  render: (app: App, root: HTMLElement) => void;
}

const TABS: Tab[] = [
  { id: "selection", title: "Selection", render: renderSelection },
  { id: "found", title: "Found", render: renderFound },
  { id: "devices", title: "Devices", render: renderDevices },
  { id: "ops", title: "Operations", render: renderOps },
  {
    id: "scopes",
    title: "Scopes",
    render: (app, root) => renderTree(app, root, "scopes"),
  },
  {
    id: "code",
    title: "Code",
    render: (app, root) => renderTree(app, root, "stacks"),
  },
  { id: "transfers", title: "Transfers", render: renderLinks },
  { id: "memory", title: "Memory", render: renderMemory },
  { id: "findings", title: "Findings", render: renderFindings },
];

function renderSelection(app: App, root: HTMLElement) {
  if (app.timeline.range) {
    renderRange(app, root, app.timeline.range);
  } else if (app.timeline.selected >= 0) {
    renderEvent(app, root);
  } else {
    root.append(
      el("p", {
        class: "faint",
        text:
          "Click an event to see its times, fields, inputs and outputs. Drag on " +
          "the ruler, or hold Alt and drag, to sum a range of time.",
      }),
    );
  }
}

// Creates the tabs.
export function makeTabs(app: App) {
  const bar = byId("tabs");
  for (const tab of TABS) {
    const title =
      tab.id === "findings"
        ? `${tab.title} (${app.model.data.head.findings.length})`
        : tab.title;
    const made = button(title, () => app.openTab(tab.id), "", "tab");
    made.id = `tab-${tab.id}`;
    made.setAttribute("role", "tab");
    made.setAttribute("aria-controls", "panel");
    bar.append(made);
  }
  bar.addEventListener("keydown", (event) => {
    const step =
      event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = TABS.findIndex((t) => t.id === app.tab);
    const next = TABS[(at + step + TABS.length) % TABS.length];
    app.openTab(next.id);
    byId(`tab-${next.id}`).focus();
    event.preventDefault();
    event.stopPropagation();
  });
}

export const PANEL: Panel = {
  has: (id) => TABS.some((t) => t.id === id),
  render: renderOpenTab,
};

function renderOpenTab(app: App) {
  const panel = byId("panel");
  const current = TABS.find((t) => t.id === app.tab) ?? TABS[0];
  for (const tab of TABS) {
    const made = document.getElementById(`tab-${tab.id}`);
    if (!made) continue;
    made.setAttribute("aria-selected", String(tab === current));
    made.tabIndex = tab === current ? 0 : -1;
    if (tab.id !== "found") continue;
    const { chosen, numChosen } = app.model;
    made.textContent = chosen
      ? `${tab.title} (${count(numChosen)})`
      : tab.title;
  }
  panel.setAttribute("aria-labelledby", `tab-${current.id}`);
  panel.replaceChildren();
  current.render(app, panel);
}
