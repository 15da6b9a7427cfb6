// The page: each address has a view, and its query is the request. A copied
// address opens the same view.

import { byId, el } from "../shared/dom";
import { showable } from "../shared/format";
import { applyTheme, storedTheme } from "../shared/theme";
import {
  ask,
  Catalog,
  getCatalog,
  getState,
  Missing,
  reload,
  State,
} from "./client";
import { drawCompare } from "./compare";
import { drawCriticalPath } from "./critical_path";
import { drawDevices } from "./devices";
import { drawExplain } from "./explain";
import { drawFlame } from "./flame";
import { controlName, focusControl, focusHeading } from "./focus";
import { LivePage } from "./live/page";
import { drawMemoryPage } from "./memory";
import { lackText } from "./notes";
import { drawOverview } from "./overview";
import { DrawPage, link, Page, ProfileFacts, takes } from "./page";
import { drawRanks } from "./ranks";
import { drawRoofline } from "./roofline";
import { drawSource } from "./source";
import { drawGraphPage, drawTablePage } from "./tables";
import { LIVE, OF_SESSION, View, VIEWS } from "./views";
import { setGlossary } from "./words";

// The pages that are more than a table.
const PAGES: Record<string, DrawPage> = {
  overview: drawOverview,
  explain: drawExplain,
  source: drawSource,
  flame: drawFlame,
  devices: drawDevices,
  graph: drawGraphPage,
  memory: drawMemoryPage,
  roofline: drawRoofline,
  critical_path: drawCriticalPath,
  ranks: drawRanks,
  compare: drawCompare,
};
// These stay while another page opens.
const KEPT = ["profile", "step", "base"];
// More steps than that are not in the list of the bar.
const MOST_STEPS = 2000;
const NO_FACTS: ProfileFacts = { steps: [], timed: false, accelerator: false };

let catalog: Catalog;
let state: State;
let asked = new AbortController();
let live: LivePage | undefined;
let drawn: View | undefined; // the page that was drawn last
let lost = ""; // the control that had the keys before
let known: { profile: string; facts: ProfileFacts } | undefined;

const views = () => (state.session ? [LIVE, ...VIEWS, ...OF_SESSION] : VIEWS);

const content = () => byId("content");
const params = () => new URLSearchParams(location.search);

function currentView(): View {
  const path = location.pathname.slice(1);
  return views().find((v) => v.path === path) ?? views()[0];
}

// In a session, the newest trace, and all of them for their average.
function profile(): string {
  const chosen = params().get("profile");
  if (chosen !== null) return chosen;
  if (!state.session) return state.newest || (state.profiles[0]?.name ?? "");
  if (OF_SESSION.includes(currentView())) return ".";
  return state.profiles[state.profiles.length - 1]?.name ?? "";
}

function address(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return `/${path}${text === "" ? "" : `?${text}`}`;
}

function changed(query: URLSearchParams, changes: Record<string, string>) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  return query;
}

function keptQuery(): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of KEPT) {
    const value = params().get(name);
    if (value !== null) query.set(name, value);
  }
  return query;
}

function change(changes: Record<string, string>) {
  go(address(currentView().path, changed(params(), changes)));
}

function go(target: string) {
  history.pushState(null, "", target);
  void render();
}

function pageOf(view: View, facts: ProfileFacts, signal: AbortSignal): Page {
  const name = profile();
  const page: Page = {
    view,
    profile: name,
    params: params(),
    catalog,
    state,
    facts,
    ask: (command, more = {}) => {
      const query = new URLSearchParams({ profile: name });
      for (const kept of ["step", "base"]) {
        const value = page.params.get(kept);
        if (value === null) continue;
        if (
          kept === "base" &&
          view.path !== "compare" &&
          command !== "overview"
        )
          continue;
        if (
          kept === "step" &&
          command !== "drawing" &&
          !takes(page, command, kept)
        )
          continue;
        query.set(kept, value);
      }
      if (command === "drawing")
        for (const scope of page.params.getAll("open"))
          query.append("open", scope);
      return ask(command, changed(query, more), signal);
    },
    address: (path, more = {}) => address(path, changed(keptQuery(), more)),
    change,
    keep: (changes, push) => {
      const target = address(view.path, changed(params(), changes));
      if (push) history.pushState(null, "", target);
      else history.replaceState(null, "", target);
    },
    show: (parameter, values) => {
      const query = params();
      query.delete(parameter);
      for (const value of values) query.append(parameter, value);
      go(address(view.path, query));
    },
    put: (...parts) => {
      if (signal.aborted) return;
      for (const part of parts) if (part) content().append(part);
    },
  };
  return page;
}

// What all pages of a profile need to know about it.
async function factsOf(
  name: string,
  signal: AbortSignal,
): Promise<ProfileFacts> {
  if (known?.profile === name) return known.facts;
  const query = new URLSearchParams({ profile: name, count: "10000" });
  const [steps, devices] = (
    await Promise.all(
      ["steps", "devices"].map((command) => ask(command, query, signal)),
    )
  ).map((reply) => reply.answer.rows ?? []);
  const busy = devices.filter((row) => Number(row.executions ?? 0) > 0);
  const facts = {
    steps,
    timed: busy.some((row) => Number(row.busy_micros ?? 0) > 0),
    accelerator: busy.some(
      (row) => row.kind !== "cpu" && Number(row.busy_micros ?? 0) > 0,
    ),
  };
  known = { profile: name, facts };
  return facts;
}

// The key of a page: the timeline page is between them.
function keyOf(index: number): string {
  const key = index + (index > views().indexOf(VIEWS[1]) ? 2 : 1);
  return key < 10 ? ` (${key})` : "";
}

function drawViews(view: View) {
  const links = views().map((v, i) => {
    const query = keptQuery();
    if (OF_SESSION.includes(v)) query.delete("profile");
    return el("a", {
      text: v.name,
      title: `${v.help}${keyOf(i)}`,
      attributes: {
        href: address(v.path, query),
        ...(v === view ? { "aria-current": "page" } : {}),
      },
    });
  });
  const chosen = params().get("profile");
  const ofTimeline =
    chosen !== null && chosen !== "."
      ? chosen
      : state.session
        ? (state.profiles[state.profiles.length - 1]?.name ?? "")
        : profile();
  const query = new URLSearchParams({ profile: ofTimeline });
  const step = params().get("step");
  if (step !== null) query.set("step", step);
  // After the overview and its explanation.
  links.splice(
    views().indexOf(VIEWS[1]) + 1,
    0,
    el("a", {
      text: "Timeline",
      title: `Every execution (${views().indexOf(VIEWS[1]) + 2})`,
      attributes: { href: `/timeline?${query}`, "data-leaves": "true" },
    }),
  );
  byId("views").replaceChildren(...links);
  byId("views")
    .querySelector("[aria-current]")
    ?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The list of steps in the bar, for the pages that can show one step alone.
function drawSteps(view: View, facts: ProfileFacts) {
  const box = byId("steps");
  const select = byId<HTMLSelectElement>("step");
  const chosen = params().get("step") ?? "";
  box.hidden = view === LIVE || (facts.steps.length < 2 && chosen === "");
  const option = (value: string, text: string) => {
    const item = el("option", { text });
    item.value = value;
    return item;
  };
  const names = facts.steps.slice(0, MOST_STEPS).map((row) => String(row.step));
  if (chosen !== "" && !names.includes(chosen)) names.push(chosen);
  select.replaceChildren(
    option("", `all ${facts.steps.length}`),
    ...names.map((name) => option(name, name)),
  );
  select.value = chosen;
  const has =
    view.command === "drawing" ||
    view.path === "overview" ||
    catalog.commands
      .find((c) => c.name === view.command)
      ?.options.includes("step");
  select.disabled = !has;
  select.title = has
    ? "The step that the pages are about"
    : "This page is about all steps";
}

// A session without traces, or a folder without profiles.
function nothingYet(): HTMLElement {
  return el(
    "p",
    { class: "note" },
    state.session
      ? "No run was traced yet. "
      : "There is no profile in the folder of this server.",
    state.session && link("Trace a run", "/live"),
  );
}

async function drawView(view: View, signal: AbortSignal) {
  if (view === LIVE) {
    live ??= new LivePage(go);
    content().replaceChildren(live.element);
    await live.refresh();
    return;
  }
  if (state.session) {
    await listProfiles();
    drawViews(view);
  }
  const waiting = el("p", {
    class: "faint",
    text: "The server is working …",
    role: "status",
  });
  content().replaceChildren(
    el("h1", { text: view.name }),
    el("p", { class: "faint", text: view.help }),
    waiting,
  );
  try {
    const name = profile();
    if (state.profiles.length === 0) {
      content().append(nothingYet());
      return;
    }
    const facts = name === "." ? NO_FACTS : await factsOf(name, signal);
    if (signal.aborted) return;
    drawSteps(view, facts);
    const page = pageOf(view, facts, signal);
    await (PAGES[view.path] ?? drawTablePage)(page);
  } finally {
    waiting.remove();
  }
}

async function render() {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const view = currentView();
  lost = controlName(document.activeElement) || lost;
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
    await drawView(view, signal);
    const box = document.querySelector<HTMLDetailsElement>("#options");
    if (box) box.open = isOpen ?? false;
  } catch (error) {
    if (signal.aborted) return;
    // The recording lacks something: say how to record it.
    if (error instanceof Missing && view.empty !== undefined) {
      content().append(
        el("p", {
          class: "note",
          text: `${lackText(error.message)} ${view.empty}`,
        }),
      );
    } else {
      content().append(
        el("p", {
          class: "error",
          role: "alert",
          text: (error as Error).message,
        }),
      );
    }
  }
  if (signal.aborted) return;
  if (drawn !== view || !focusControl(lost, document))
    focusHeading(lost, content());
  lost = "";
  drawn = view;
  document.body.dataset.ready = "true";
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
  const steps = byId<HTMLSelectElement>("step");
  steps.addEventListener("change", () =>
    change({ step: steps.value, from: "" }),
  );
  const again = byId("reload");
  again.addEventListener("click", () => {
    known = undefined;
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
  // The links may be wider than the window.
  byId("views").addEventListener("focusin", (event) =>
    (event.target as Element).scrollIntoView({
      block: "nearest",
      inline: "nearest",
    }),
  );
  byId("views").addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link?.dataset.leaves || !state.session || !isPlain) return;
    // The newest trace may be another one by now.
    event.preventDefault();
    void listProfiles().then(() => {
      drawViews(currentView());
      const now = byId("views").querySelector("a[data-leaves]");
      location.assign(now?.getAttribute("href") ?? "/");
    });
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
    known = undefined;
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
      // A server that took the place of another one counts from the start.
      if (now.last_event !== lastEvent) {
        known = undefined;
        void render();
      }
      lastEvent = now.last_event;
      byId("live").textContent = now.restarted;
    });
  });
  events.addEventListener("error", () => {
    byId("live").textContent = "The server does not answer.";
    if (events?.readyState === EventSource.CLOSED) void askAgain();
  });
}

const askMillis = 1000;

// The browser asks an unreachable server again by itself, but gives up when the
// server refuses it, as one with another token does.
async function askAgain() {
  events?.close();
  events = undefined;
  const reply = await fetch("/api/state").catch(() => undefined);
  if (reply?.status === 401) {
    byId("live").textContent =
      "Signed out: the server has another token. Open the address that it " +
      "printed.";
    return;
  }
  setTimeout(listen, askMillis);
}

export async function start() {
  applyTheme(storedTheme());
  [catalog, state] = await Promise.all([getCatalog(), getState()]);
  setGlossary(catalog.terms);
  lastEvent = state.last_event;
  connect();
  await listProfiles();
  await render();
}
