// Opens the page: reads its data, and connects the controls.

import { byId, button, el, swatch } from "../shared/dom";
import { count, parseTime, showable } from "../shared/format";
import { applyTheme, readTheme, storedTheme } from "../shared/theme";
import { App } from "./app";
import { Filter, isEmpty, NO_FILTER } from "./choose";
import { ColorMode, COLOR_MODES } from "./colors";
import { decode, Head } from "./decode";
import { listenKeys, listenPointer } from "./input";
import { connectLanes } from "./lanes_bar";
import { Model } from "./model";
import { makeTabs, PANEL } from "./panel";
import { drawPicture } from "./picture";
import { connectSave } from "./save";
import { connectSplitter } from "./splitter";
import { totals } from "./sums";

declare global {
  interface Window {
    tfprofPage?: { app: App; opened: number };
  }
}

function options(select: HTMLSelectElement, list: Array<[string, string]>) {
  select.replaceChildren(
    ...list.map(([value, text]) => {
      const option = el("option", { text });
      option.value = value;
      return option;
    }),
  );
}

function connectTheme(app: App) {
  const choose = byId<HTMLSelectElement>("theme");
  choose.value = storedTheme();
  choose.addEventListener("change", () => {
    applyTheme(choose.value);
    app.themeChanged();
  });
  window
    .matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", () => app.themeChanged());
}

function connectFilter(app: App) {
  const { model } = app;
  const { data } = model;
  const types = totals(
    model,
    (e) => data.entryOp[data.entry[e]],
    data.strings.length,
  );
  const scopes = new Map<string, number>();
  for (const t of totals(
    model,
    (e) => data.entryScope[data.entry[e]],
    data.scopes.parent.length,
  )) {
    // The scopes around a scope.
    for (let s = t.key; s > 0; s = data.scopes.parent[s]) {
      const path = model.pathOf(s);
      scopes.set(path, (scopes.get(path) ?? 0) + t.self);
    }
  }
  const MAX = 300;
  options(byId("filter-type"), [
    ["", "any type"],
    ...types
      .slice(0, MAX)
      .map((t): [string, string] => [model.text(t.key), model.text(t.key)]),
  ]);
  options(byId("filter-scope"), [
    ["", "any scope"],
    ...[...scopes]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX)
      .map(([path]): [string, string] => [path, path]),
  ]);
  options(byId("filter-device"), [
    ["-1", "any device"],
    ...data.head.devices.map((_, d): [string, string] => [
      String(d),
      model.deviceName(d),
    ]),
  ]);
  const kinds = [...new Set(data.head.lanes.map((l) => l.kind))];
  options(byId("filter-kind"), [
    ["", "any kind"],
    ...kinds.map((k): [string, string] => [k, k]),
  ]);
  const fields = ["type", "scope", "device", "kind", "min", "max"];
  const value = (name: string) =>
    byId<HTMLInputElement | HTMLSelectElement>(`filter-${name}`).value;
  const read = () => {
    const limit = (name: string, otherwise: number) => {
      const field = byId<HTMLInputElement>(`filter-${name}`);
      const ticks = parseTime(field.value, model.perMicro);
      field.setCustomValidity(
        field.value !== "" && ticks === undefined ? "write 10us or 1.5ms" : "",
      );
      field.reportValidity();
      return ticks ?? otherwise;
    };
    const filter: Filter = {
      type: value("type"),
      scope: value("scope"),
      device: Number(value("device")),
      kind: value("kind"),
      min: limit("min", 0),
      max: limit("max", Infinity),
    };
    app.setFilter(filter);
  };
  for (const name of fields) {
    byId(`filter-${name}`).addEventListener("change", read);
  }
  byId("filter-clear").addEventListener("click", () => {
    for (const name of fields) {
      byId<HTMLInputElement>(`filter-${name}`).value =
        name === "device" ? "-1" : "";
    }
    app.setFilter({ ...NO_FILTER });
  });
  const box = byId("filters");
  byId("filter").addEventListener("click", () => {
    box.hidden = !box.hidden;
    byId("filter").setAttribute("aria-expanded", String(!box.hidden));
    app.resized();
  });
}

function connectControls(app: App) {
  const search = byId<HTMLInputElement>("search");
  let waiting = 0;
  search.addEventListener("input", () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => app.search(search.value), 120);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      window.clearTimeout(waiting);
      if (app.query !== search.value) app.search(search.value);
      app.findNext(event.shiftKey);
      event.preventDefault();
    } else if (event.key === "ArrowDown") {
      window.clearTimeout(waiting);
      if (app.query !== search.value) app.search(search.value);
      app.openTab("found");
      requestAnimationFrame(() =>
        byId("panel").querySelector<HTMLElement>("tr.pick")?.focus(),
      );
      event.preventDefault();
    } else if (event.key === "Escape") {
      if (search.value === "") app.timeline.canvas.focus();
      search.value = "";
      app.search("");
    }
  });
  byId("found-next").addEventListener("click", () => app.findNext(false));
  byId("found-list").addEventListener("click", () => app.openTab("found"));
  byId("found-previous").addEventListener("click", () => app.findNext(true));
  const colors = byId<HTMLSelectElement>("colors");
  options(
    colors,
    COLOR_MODES.map((m): [string, string] => [m, `colour: ${m}`]),
  );
  colors.addEventListener("change", () =>
    app.setColors(colors.value as ColorMode),
  );
  byId("undo").addEventListener("click", () => app.undo(true));
  byId("redo").addEventListener("click", () => app.undo(false));
  byId("fit").addEventListener("click", () => app.fit());
  byId("step-next").addEventListener("click", () => app.goToStep(1));
  byId("step-previous").addEventListener("click", () => app.goToStep(-1));
  const sums = byId<HTMLSelectElement>("sums-of");
  sums.addEventListener("change", () => {
    app.sumsOf = sums.value;
    app.renderPanel();
  });
  const help = byId<HTMLDialogElement>("help");
  const showHelp = () => (help.open ? help.close() : help.showModal());
  byId("help-open").addEventListener("click", showHelp);
  byId("help-close").addEventListener("click", () => help.close());
  listenKeys(app, showHelp);

  const lanes = connectLanes(app);
  app.changed = () => {
    lanes();
    if (search.value !== app.query && document.activeElement !== search) {
      search.value = app.query;
    }
    const found = byId("found");
    found.textContent = app.found;
    found.classList.toggle(
      "bad",
      app.problem !== "" ||
        (app.model.chosen !== undefined && app.model.numChosen === 0),
    );
    const hasList = app.model.chosen !== undefined && app.problem === "";
    byId<HTMLButtonElement>("found-list").disabled = !hasList;
    byId<HTMLButtonElement>("undo").disabled = !app.view.canUndo;
    byId<HTMLButtonElement>("redo").disabled = !app.view.canRedo;
    byId("filter").classList.toggle("on", !isEmpty(app.filter));
    colors.value = app.colors.mode;
    const legend = byId("legend");
    legend.replaceChildren(
      ...app.colors.legend.map((item) => {
        const made = button(
          "",
          () => {
            if (item.query !== "") app.search(item.query);
          },
          item.query === "" ? item.label : `search for ${item.query}`,
          "legend",
        );
        made.append(swatch(item.color), item.label);
        if (item.value !== "") {
          made.append(el("span", { class: "faint", text: item.value }));
        }
        return made;
      }),
    );
  };
}

// The bars that change the height of the panel and the width of the names.
function connectSplitters(app: App) {
  const bottom = byId("bottom");
  const panel = connectSplitter({
    bar: byId("splitter"),
    vertical: false,
    sign: -1,
    size: () => bottom.offsetHeight,
    limits: () => [32, Math.max(32, window.innerHeight - 220)],
    set: (height) => {
      bottom.style.height = `${height}px`;
      app.resized();
    },
    usual: () => {
      bottom.style.height = "";
      app.resized();
    },
  });
  const names = connectSplitter({
    bar: byId("names-splitter"),
    vertical: true,
    sign: 1,
    size: () => app.names,
    limits: () => app.namesLimits(),
    set: (width) => app.setNames(width),
    usual: () => app.setNames(0),
  });
  window.addEventListener("resize", () => {
    panel();
    names();
  });
}

// A page of `tfprof serve` has a way back to its other pages.
function connectServer() {
  const { protocol, pathname, search } = window.location;
  if (!/^https?:$/.test(protocol) || pathname !== "/timeline") return;
  const back = byId<HTMLAnchorElement>("back");
  back.href = `/${search}`;
  back.hidden = false;
}

const PAPER = 1040; // the width of a picture on paper, in pixels

// On paper, names and lanes are one picture, in the light theme.
function connectPrint(app: App) {
  const place = byId("print");
  const { dataset } = document.documentElement;
  let theme: string | undefined;
  window.addEventListener("beforeprint", () => {
    theme = dataset.theme;
    dataset.theme = "light";
    const range = { from: app.view.from, to: app.view.to };
    const { canvas } = drawPicture(app, range, readTheme(), PAPER);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The timeline");
    place.replaceChildren(canvas);
  });
  window.addEventListener("afterprint", () => {
    place.replaceChildren();
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
  });
}

async function open() {
  applyTheme(storedTheme());
  const began = performance.now();
  const text = (id: string) => {
    const element = byId(id);
    const content = element.textContent ?? "";
    element.remove();
    return content.trim();
  };
  const head: Head = JSON.parse(text("head"));
  const title = showable(head.title);
  document.title = `${title} · timeline`;
  byId("title").textContent = title;
  byId("title").title = `${count(head.counts.events)} events`;
  const model = new Model(await decode(head, text));
  const app = new App(model, PANEL);
  connectTheme(app);
  connectFilter(app);
  connectControls(app);
  connectSplitters(app);
  connectServer();
  connectPrint(app);
  connectSave(app);
  makeTabs(app);
  listenPointer(app);
  app.resized();
  app.readLink();
  new ResizeObserver(() => app.resized()).observe(byId("stage"));
  window.addEventListener("hashchange", () => app.readLink());
  byId("loading").remove();
  app.drawNow();
  window.tfprofPage = { app, opened: performance.now() - began };
  document.body.dataset.ready = "true";
}

open().catch((error) => {
  const box = document.getElementById("loading");
  if (box) box.textContent = `The page cannot be shown: ${error.message}`;
  console.error(error);
});
