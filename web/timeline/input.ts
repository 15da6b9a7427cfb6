// Mouse, touch and keys on the timeline.
//
// A drag pans. Shift and a drag zooms to a box. A drag on the ruler selects a
// range, and a drag with Alt one of the lanes that it covers. The wheel scrolls,
// with Ctrl it zooms. Two fingers pinch.

import { byId } from "../shared/dom";
import { App } from "./app";
import { TOP } from "./ruler";
import { hideTip, showTip } from "./tip";

const CLICK = 4; // the movement in pixels allowed in a click
type Drag = "pan" | "box" | "range" | "lanes";

export function listenPointer(app: App) {
  const { canvas } = app.timeline;
  const fingers = new Map<number, { x: number; y: number }>();
  let drag: { kind: Drag; x: number; y: number; moved: boolean } | undefined;
  const place = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    const at = place(event);
    fingers.set(event.pointerId, at);
    if (fingers.size > 1) {
      drag = undefined;
      app.timeline.box = undefined;
      return;
    }
    const kind = event.shiftKey
      ? "box"
      : at.y < TOP
        ? "range"
        : event.altKey
          ? "lanes"
          : "pan";
    drag = { kind, x: at.x, y: at.y, moved: false };
    hideTip(app);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    const before = fingers.get(event.pointerId);
    if (before && fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId);
      const was = Math.abs(before.x - other[1].x);
      const now = Math.abs(at.x - other[1].x);
      const middle = (at.x + other[1].x) / 2;
      if (was > 8 && now > 8) {
        app.view.zoom(was / now, app.timeline.timeAt(middle));
      }
      app.view.pan(-((at.x - before.x) / 2) * app.timeline.perPixel);
      app.view.y -= (at.y - before.y) / 2;
      fingers.set(event.pointerId, at);
      app.redraw();
      return;
    }
    app.timeline.cursor = at.x;
    if (!drag) {
      showTip(app, at.x, at.y, event.clientX, event.clientY);
      return;
    }
    if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < CLICK) {
      return;
    }
    drag.moved = true;
    if (drag.kind === "pan") {
      const last = before ?? at;
      app.view.pan(-(at.x - last.x) * app.timeline.perPixel);
      app.view.y -= at.y - last.y;
      canvas.classList.add("grabbing");
    } else {
      app.timeline.box =
        drag.kind === "lanes"
          ? { x0: drag.x, x1: at.x, y0: drag.y, y1: Math.max(TOP, at.y) }
          : { x0: drag.x, x1: at.x };
    }
    fingers.set(event.pointerId, at);
    app.redraw();
  });
  const up = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    canvas.classList.remove("grabbing");
    const { box } = app.timeline;
    app.timeline.box = undefined;
    if (!drag) {
      app.settle();
      return;
    }
    const ended = drag;
    drag = undefined;
    if (!ended.moved) {
      click(app, ended.x, ended.y);
      // A finger has no place to hover.
      if (event.pointerType === "touch") {
        showTip(app, ended.x, ended.y, event.clientX, event.clientY);
      }
      return;
    }
    if (box && ended.kind !== "pan") {
      const from = app.timeline.timeAt(Math.min(box.x0, box.x1));
      const to = app.timeline.timeAt(Math.max(box.x0, box.x1));
      if (ended.kind === "box") {
        app.view.set(from, to);
      } else {
        app.setRange({
          from: Math.max(0, from),
          to: Math.min(to, app.view.span),
          lanes:
            box.y0 !== undefined && box.y1 !== undefined
              ? app.lanesBetween(box.y0, box.y1)
              : app.timeline.range?.lanes,
        });
      }
    }
    app.settle();
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", (event) => {
    fingers.delete(event.pointerId);
    drag = undefined;
    app.timeline.box = undefined;
    app.redraw();
  });
  canvas.addEventListener("pointerleave", () => {
    app.timeline.cursor = -1;
    hideTip(app);
    app.redraw();
  });
  canvas.addEventListener("dblclick", (event) => {
    const at = place(event);
    const found = app.timeline.eventAt(at.x, at.y);
    if (found >= 0) app.zoomToEvent(found);
  });

  let wheelEnds = 0;
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
    const at = place(event);
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(
        Math.max(-1, Math.min(1, event.deltaY * unit * 0.0025)),
      );
      app.view.zoom(factor, app.timeline.timeAt(Math.max(0, at.x)));
    } else if (event.shiftKey) {
      app.view.pan(
        (event.deltaY || event.deltaX) * unit * app.timeline.perPixel,
      );
    } else if (app.timeline.maxScroll === 0 && event.deltaX === 0) {
      // There is nothing to scroll, so the wheel zooms.
      const factor = Math.exp(
        Math.max(-1, Math.min(1, event.deltaY * unit * 0.0025)),
      );
      app.view.zoom(factor, app.timeline.timeAt(Math.max(0, at.x)));
    } else {
      app.view.y += event.deltaY * unit;
      app.view.pan(event.deltaX * unit * app.timeline.perPixel);
    }
    hideTip(app);
    app.redraw();
    window.clearTimeout(wheelEnds);
    wheelEnds = window.setTimeout(() => app.settle(), 200);
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  byId("gutter").addEventListener("wheel", wheel, { passive: false });
  byId("scrollbar").addEventListener("wheel", wheel, { passive: false });
}

function click(app: App, x: number, y: number) {
  const { timeline } = app;
  if (y < TOP) {
    const mark = timeline.marks.find(
      (m) => y >= 20 && Math.abs(timeline.xOf(m.at) - x) < 8,
    );
    if (mark) {
      app.showFinding(mark.finding, "findings");
      return;
    }
    const when = timeline.timeAt(x);
    const step = app.model.data.steps.find(
      (s) => s.start <= when && when < s.end,
    );
    if (step && y >= 22) {
      const { lanes } = timeline.range ?? {};
      app.setRange({ from: step.start, to: step.end, lanes });
    } else {
      app.setRange(undefined);
    }
    return;
  }
  const event = timeline.eventAt(x, y);
  if (event < 0) {
    app.setRange(undefined);
    app.select(-1, false);
    return;
  }
  const item = app.layout.itemOfLane(app.model.laneOf[event]);
  app.select(event, !item?.open);
}

// Closes a dialog or the filters. Returns whether one was open.
function closeOpen(): boolean {
  const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
  if (dialog) {
    dialog.close();
    return true;
  }
  if (!byId("filters").hidden) {
    byId("filter").click();
    byId("filter").focus();
    return true;
  }
  return false;
}

// Handles keys wherever the focus is, except in a text field.
export function listenKeys(app: App, help: () => void) {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    // A dialog has all keys but those that close it.
    if (document.querySelector("dialog[open]")) {
      if (
        event.key === "Escape" ||
        (event.key === "?" && byId("help").hasAttribute("open"))
      ) {
        event.preventDefault();
        closeOpen();
      }
      return;
    }
    const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (inField || event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "Escape" && target.closest("#filters")) closeOpen();
      if (
        !inField &&
        (event.ctrlKey || event.metaKey) &&
        event.key.toLowerCase() === "z"
      ) {
        event.preventDefault();
        app.undo(!event.shiftKey);
      }
      return;
    }
    const size = app.view.to - app.view.from;
    const middle =
      app.timeline.cursor >= 0
        ? app.timeline.timeAt(app.timeline.cursor)
        : app.view.from + size / 2;
    const onCanvas = target === app.timeline.canvas || target === document.body;
    const step = event.shiftKey ? 0.5 : 0.12;
    const actions: Record<string, () => void> = {
      w: () => app.view.zoom(1 / 1.4, middle),
      s: () => app.view.zoom(1.4, middle),
      a: () => app.view.pan(-size * step),
      d: () => app.view.pan(size * step),
    };
    if (onCanvas) {
      actions.arrowleft = actions.a;
      actions.arrowright = actions.d;
      actions.arrowup = () => (app.view.y -= 60);
      actions.arrowdown = () => (app.view.y += 60);
      actions["+"] = actions["="] = actions.w;
      actions["-"] = actions.s;
    }
    const others: Record<string, () => void> = {
      "0": () => app.fit(),
      "/": () => byId("search").focus(),
      n: () => app.findNext(event.shiftKey),
      f: () => {
        const { selected, range } = app.timeline;
        if (selected >= 0) app.zoomToEvent(selected);
        else if (range) app.zoomTo(range.from, range.to);
      },
      m: () => {
        const { selected } = app.timeline;
        if (selected < 0) return;
        app.setRange({
          from: app.model.data.start[selected],
          to: app.model.end(selected),
        });
      },
      o: () => app.toggleArrows(),
      c: () => app.togglePath(),
      "[": () => neighbour(app, -1),
      "]": () => neighbour(app, 1),
      ",": () => sideways(app, -1),
      ".": () => sideways(app, 1),
      j: () => app.goToStep(1),
      k: () => app.goToStep(-1),
      u: () => app.undo(true),
      r: () => app.undo(false),
      "?": help,
      l: () => app.openTab("found"),
      e: () => byId("save-open").click(),
      escape: () => {
        if (closeOpen()) return;
        hideTip(app);
        app.setRange(undefined);
        app.select(-1, false);
      },
    };
    const key = event.key.toLowerCase();
    if (actions[key]) {
      actions[key]();
      app.settle();
    } else if (others[key]) {
      others[key]();
    } else {
      return;
    }
    event.preventDefault();
  });
}

// Selects the next execution of the selected op.
function neighbour(app: App, offset: number) {
  const { selected } = app.timeline;
  if (selected < 0) return;
  const of = app.model.eventsOf(app.model.data.entry[selected]);
  const at = of.indexOf(selected);
  app.select(of[(at + offset + of.length) % of.length], true);
}

// Selects the next event of the lane; without a selection, the first one in the
// view.
function sideways(app: App, offset: number) {
  const { selected } = app.timeline;
  const { model } = app;
  if (selected >= 0) {
    const lane = model.lanes[model.laneOf[selected]];
    const next = selected + offset;
    if (next >= lane.first && next < lane.last) app.select(next, true);
    return;
  }
  for (let e = 0; e < model.size; ++e) {
    if (model.end(e) < app.view.from || !model.laneHead(e).counted) continue;
    app.select(e, true);
    return;
  }
}
