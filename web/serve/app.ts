// The page: each address has a view, and its query is the request. A copied
// address opens the same view.

import { button, byId, el } from "../shared/dom";
import { showable } from "../shared/format";
import { applyTheme, storedTheme } from "../shared/theme";
import {
  Answer,
  ask,
  Catalog,
  getCatalog,
  getState,
  reload,
  Reply,
  Row,
  State,
  Table,
} from "./client";
import { drawing } from "./drawing";
import { explanation } from "./explain";
import { findings } from "./findings";
import { optionsForm } from "./form";
import { grid, title } from "./grid";
import { LivePage } from "./live/page";
import { MemoryPage } from "./memory";
import { overview } from "./overview";
import { LIVE, OF_SESSION, View, VIEWS } from "./views";

const ROWS = 200;

// Parameters that the page uses itself and does not send to the command.
const OWN = ["of"];
const COMPARED = ["op", "scope", "graph", "code", "steps"];

let catalog: Catalog;
let state: State;
let asked = new AbortController();
let live: LivePage | undefined;

const views = () => (state.session ? [LIVE, ...VIEWS, ...OF_SESSION] : VIEWS);

const content = () => byId("content");
const params = () => new URLSearchParams(location.search);

function currentView(): View {
  const path = location.pathname.slice(1);
  return views().find((v) => v.path === path) ?? views()[0];
}

function profile(): string {
  return params().get("profile") ?? state.profiles[0]?.name ?? "";
}

function address(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return `/${path}${text === "" ? "" : `?${text}`}`;
}

// Changes parameters of the query; "" removes one.
function change(changes: Record<string, string>) {
  const query = params();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  go(address(currentView().path, query));
}

function go(target: string) {
  history.pushState(null, "", target);
  void render();
}

function drawViews(view: View) {
  const query = new URLSearchParams();
  const chosen = params().get("profile");
  if (chosen !== null) query.set("profile", chosen);
  const links = views().map((v, i) =>
    el("a", {
      text: v.name,
      title: `${v.help} (${i + 1})`,
      attributes: {
        href: address(v.path, query),
        ...(v === view ? { "aria-current": "page" } : {}),
      },
    }),
  );
  links.push(
    el("a", {
      text: "Timeline",
      title: `Every execution (${views().length + 1})`,
      attributes: {
        href: address("timeline", new URLSearchParams({ profile: profile() })),
        "data-leaves": "true",
      },
    }),
  );
  byId("views").replaceChildren(...links);
}

function drawNotes(notes: string[]): HTMLElement[] {
  return notes.map((note) => el("p", { class: "note", text: showable(note) }));
}

// The search field, and the buttons for the pages of a long table.
function drawControls(reply: Reply, table: Table): HTMLElement {
  const query = params();
  const from = Number(query.get("from") ?? 0);
  const last = Math.min(from + table.rows.length, reply.rows);
  const search = el("input", {
    label: "Search in the table",
    attributes: { type: "search", placeholder: "Search (/)" },
  });
  search.id = "search";
  search.value = query.get("find") ?? "";
  search.addEventListener("change", () => {
    change({ find: search.value, from: "" });
  });
  const earlier = button("Previous", () =>
    change({ from: String(Math.max(0, from - ROWS) || "") }),
  );
  earlier.disabled = from === 0;
  const later = button("Next", () => change({ from: String(from + ROWS) }));
  later.disabled = last >= reply.rows;
  const row = el(
    "div",
    { class: "row" },
    search,
    earlier,
    later,
    el("span", {
      class: "faint",
      text:
        reply.rows === 0
          ? "no rows"
          : `rows ${from + 1} to ${last} of ${reply.rows}` +
            (table.total > reply.rows ? ` (${table.total} in all)` : ""),
    }),
  );
  if (query.has("sort")) {
    row.append(button("Own order", () => change({ sort: "", from: "" })));
  }
  return row;
}

function drawTable(view: View, reply: Reply): HTMLElement[] {
  const { answer } = reply;
  if (answer.columns === undefined || answer.rows === undefined) return [];
  const table = answer as Table;
  const stepLink = (row: Row) =>
    address(
      "op",
      new URLSearchParams({ profile: profile(), step: String(row.step) }),
    );
  return [
    drawControls(reply, table),
    grid(table, {
      label: view.name,
      sort: params().get("sort") ?? undefined,
      onSort: (column) => change({ sort: column, from: "" }),
      link: view.command === "steps" ? stepLink : undefined,
    }),
  ];
}

function drawTables(answer: Answer): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (const [name, table] of Object.entries(answer.tables ?? {})) {
    if (table.rows.length === 0) continue;
    parts.push(el("h2", { text: title(name) }));
    if (name === "findings" && table.columns.some((c) => c.name === "rule")) {
      parts.push(...findings(table));
    } else {
      parts.push(grid(table, { label: title(name) }));
    }
  }
  return parts;
}

// The fields that select the two profiles to compare, and the view.
function drawPair(command: string): HTMLElement {
  const base = params().get("base") ?? "";
  const bases = el("select", { label: "The base" });
  bases.id = "base";
  for (const name of ["", ...state.profiles.map((p) => p.name)]) {
    if (name === profile()) continue;
    const item = el("option", { text: name === "" ? "choose …" : name });
    item.value = name;
    bases.append(item);
  }
  bases.value = base;
  bases.addEventListener("change", () => change({ base: bases.value }));
  const of = el("select", { label: "By" });
  for (const name of COMPARED) {
    of.append(el("option", { text: name }));
  }
  of.value = command;
  of.addEventListener("change", () => change({ of: of.value, sort: "" }));
  return el(
    "div",
    { class: "row" },
    el("label", { class: "pick" }, "against ", bases),
    el("label", { class: "pick" }, "by ", of),
  );
}

// Draws the graph, with buttons for the scopes that are open in it.
function drawGraph(answer: Answer): HTMLElement[] {
  const opened = params().getAll("open");
  const show = (scopes: string[]) => {
    const query = params();
    query.delete("open");
    for (const scope of scopes) query.append("open", scope);
    go(address("graph", query));
  };
  const step = el("input", {
    label: "The step; without it the mean of all",
    attributes: { type: "number", min: "0", placeholder: "mean of all" },
  });
  step.id = "step";
  step.value = params().get("step") ?? "";
  step.addEventListener("change", () => change({ step: step.value }));
  const row = el(
    "div",
    { class: "row" },
    el("label", { class: "pick" }, "step ", step),
    ...opened.map((scope) =>
      button(
        `▾ ${showable(scope)}`,
        // Closes it and everything that is open in it.
        () =>
          show(opened.filter((s) => s !== scope && !s.startsWith(`${scope}/`))),
        `close ${showable(scope)}`,
      ),
    ),
  );
  return [row, drawing(answer, (scope) => show([...opened, scope]))];
}

// The page asks again for each zoom, and keeps its window in the address.
async function drawMemoryPage(view: View, signal: AbortSignal) {
  const query = params();
  const step = query.get("step");
  const page = new MemoryPage(
    async (more) => {
      const question = new URLSearchParams({
        ...view.defaults,
        profile: profile(),
        ...(step === null ? {} : { step }),
        ...more,
      });
      return (await ask("memory", question, signal)).answer;
    },
    (changes) => {
      if ("argument" in changes) {
        change(changes);
        return;
      }
      const now = params();
      for (const [name, value] of Object.entries(changes)) now.set(name, value);
      history.replaceState(null, "", address(view.path, now));
    },
    (path, more) =>
      address(path, new URLSearchParams({ profile: profile(), ...more })),
    query.get("argument") ?? "",
  );
  content().append(page.element);
  await page.start(query.get("window") ?? "");
}

async function drawView(view: View, signal: AbortSignal) {
  if (view === LIVE) {
    live ??= new LivePage(go);
    content().replaceChildren(live.element);
    await live.refresh();
    return;
  }
  if (state.session) await listProfiles();
  const query = params();
  const compares = view.path === "compare";
  const of = query.get("of") ?? view.command;
  const command = compares && COMPARED.includes(of) ? of : view.command;
  const parts: HTMLElement[] = [
    el("h1", { text: view.name }),
    el("p", { class: "faint", text: view.help }),
  ];
  if (compares) parts.push(drawPair(command));
  if (view.command !== "drawing" && view.path !== "memory") {
    parts.push(
      optionsForm(catalog, command, query, (name, value) =>
        change({ [name]: value, from: "" }),
      ),
    );
  }
  content().replaceChildren(...parts);
  if (compares && !query.has("base")) {
    content().append(
      el("p", {
        class: "note",
        text:
          state.profiles.length > 1
            ? "Choose the profile to compare with."
            : "There is only one profile. Start with a folder, or with --base.",
      }),
    );
    return;
  }
  const waiting = el("p", {
    class: "faint",
    text: "The server is working …",
    role: "status",
  });
  content().append(waiting);
  if (view.path === "memory") {
    await drawMemoryPage(view, signal);
    waiting.remove();
    return;
  }
  const question = new URLSearchParams(query);
  for (const name of OWN) question.delete(name);
  question.set("profile", profile());
  const draws = view.command === "drawing";
  if (!draws) question.set("count", String(ROWS));
  const takes = new Set(
    catalog.commands.find((c) => c.name === command)?.options,
  );
  for (const [name, value] of Object.entries(view.defaults)) {
    if (takes.has(name) && !query.has(name)) question.set(name, value);
  }
  if (view.path === "advice") question.set("argument", "all");
  if (
    compares &&
    command !== "op" &&
    !query.has("max_depth") &&
    takes.has("max_depth")
  )
    question.set("max_depth", "4");
  const reply = await ask(command, question, signal);
  waiting.remove();
  content().append(...drawNotes(reply.notes));
  if (draws) {
    content().append(...drawGraph(reply.answer));
    return;
  }
  if (view.path === "explain") {
    content().append(...explanation(reply.answer));
    return;
  }
  if (view.path === "overview") {
    content().append(
      ...overview(reply.answer, (path) =>
        address(path, new URLSearchParams({ profile: profile() })),
      ),
    );
    return;
  }
  const { answer } = reply;
  const tables = Object.values(answer.tables ?? {});
  const total = [answer, ...tables].reduce((n, t) => n + (t.total ?? 0), 0);
  if (total === 0 && view.empty !== undefined) {
    content().append(el("p", { class: "note", text: view.empty }));
    return;
  }
  content().append(...drawTable(view, reply), ...drawTables(answer));
}

async function render() {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const view = currentView();
  document.body.dataset.ready = "false";
  const isOpen = document.querySelector<HTMLDetailsElement>("#options")?.open;
  document.title =
    view === LIVE
      ? "Runs · tfprof"
      : `${view.name} · ${showable(profile())} · tfprof`;
  byId<HTMLSelectElement>("profile").value = profile();
  byId("profiles").hidden = view === LIVE;
  byId("reload").hidden = view === LIVE || state.read_only;
  drawViews(view);
  try {
    const drawn = drawView(view, signal);
    const box = document.querySelector<HTMLDetailsElement>("#options");
    if (box) box.open = isOpen ?? false;
    await drawn;
  } catch (error) {
    if (signal.aborted) return;
    content().append(
      el("p", {
        class: "error",
        role: "alert",
        text: (error as Error).message,
      }),
    );
  }
  if (!signal.aborted) document.body.dataset.ready = "true";
}

// The profiles of a session change, so the state is read again.
async function listProfiles() {
  if (state.session) state = await getState();
  const profiles = byId<HTMLSelectElement>("profile");
  const names = state.profiles.map((p) => p.name);
  if (state.session) names.unshift(".");
  profiles.replaceChildren(
    ...names.map((name) => {
      const item = el("option", {
        text: name === "." ? "all traces" : showable(name),
      });
      item.value = name;
      return item;
    }),
  );
  profiles.value = profile();
}

function connect() {
  const theme = byId<HTMLSelectElement>("theme");
  theme.value = storedTheme();
  theme.addEventListener("change", () => applyTheme(theme.value));
  const profiles = byId<HTMLSelectElement>("profile");
  profiles.addEventListener("change", () => {
    go(
      address(
        currentView().path,
        new URLSearchParams({ profile: profiles.value }),
      ),
    );
  });
  const again = byId("reload");
  again.addEventListener("click", () => {
    reload(profile())
      .then(render)
      .catch((error) => {
        byId("live").textContent = error.message;
      });
  });
  // Links within the page change the address without loading a new page.
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    const target = link?.getAttribute("href") ?? "";
    if (
      !target.startsWith("/") ||
      link?.dataset.leaves ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey
    )
      return;
    event.preventDefault();
    go(target);
  });
  document.addEventListener("keydown", (event) => {
    const inField = (event.target as Element).matches(
      "input, select, textarea",
    );
    if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search")?.focus();
    }
    const link = byId("views").querySelectorAll("a")[Number(event.key) - 1];
    if (link) link.click();
  });
  window.addEventListener("popstate", () => void render());
  listen();
  document.addEventListener("visibilitychange", listen);
}

let events: EventSource | undefined;
let lastEvent = 0;

// Only a visible page listens: a browser opens six connections to a server, and
// the pages of a seventh tab would wait forever.
function listen() {
  if (document.hidden) {
    events?.close();
    events = undefined;
    return;
  }
  if (events !== undefined) return;
  events = new EventSource("/api/events");
  const again = (event: MessageEvent) => {
    lastEvent = Number(event.lastEventId);
    if (currentView() === LIVE) void live?.refresh();
    else void render();
  };
  events.addEventListener("reloaded", again);
  events.addEventListener("lost", again);
  events.addEventListener("opened", (event) => {
    lastEvent = Number((event as MessageEvent).lastEventId);
  });
  events.addEventListener("live", (event) => {
    lastEvent = Number((event as MessageEvent).lastEventId);
    if (currentView() === LIVE) void live?.refresh();
  });
  events.addEventListener("open", () => {
    byId("live").textContent = "";
    // Catches up with the changes made while the page was hidden.
    if (currentView() === LIVE) {
      void live?.refresh();
      return;
    }
    void getState().then((now) => {
      if (now.last_event > lastEvent) void render();
      lastEvent = now.last_event;
    });
  });
  events.addEventListener("error", () => {
    byId("live").textContent = "The server does not answer.";
  });
}

export async function start() {
  applyTheme(storedTheme());
  [catalog, state] = await Promise.all([getCatalog(), getState()]);
  lastEvent = state.last_event;
  connect();
  await listProfiles();
  await render();
}
