// A bar that changes the size of a part of the page, by dragging and by keys.

export interface Splitter {
  bar: HTMLElement;
  vertical: boolean; // a vertical bar changes a width
  // +1 if the part grows when the bar moves right or down, else -1.
  sign: 1 | -1;
  size: () => number; // pixels
  limits: () => [number, number];
  set: (size: number) => void;
  usual: () => void; // sets the size of a new page
}

const STEP = 24;

// Returns a function to call when the size or its limits may have changed.
export function connectSplitter(splitter: Splitter): () => void {
  const { bar, vertical, sign } = splitter;
  const say = () => {
    const [least, most] = splitter.limits();
    bar.setAttribute("aria-valuemin", String(least));
    bar.setAttribute("aria-valuemax", String(most));
    bar.setAttribute("aria-valuenow", String(Math.round(splitter.size())));
  };
  const set = (wanted: number) => {
    const [least, most] = splitter.limits();
    splitter.set(Math.round(Math.max(least, Math.min(most, wanted))));
    say();
  };
  const place = (e: PointerEvent) => (vertical ? e.clientX : e.clientY);
  let begin: number | undefined;
  let size = 0;
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    begin = place(event);
    size = splitter.size();
  });
  bar.addEventListener("pointermove", (event) => {
    if (begin !== undefined) set(size + sign * (place(event) - begin));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    bar.addEventListener(end, () => (begin = undefined));
  }
  bar.addEventListener("dblclick", () => {
    splitter.usual();
    say();
  });
  bar.addEventListener("keydown", (event) => {
    const [less, more] = vertical
      ? ["ArrowLeft", "ArrowRight"]
      : ["ArrowUp", "ArrowDown"];
    const [least, most] = splitter.limits();
    if (event.key === less) set(splitter.size() - sign * STEP);
    else if (event.key === more) set(splitter.size() + sign * STEP);
    else if (event.key === "Home") set(least);
    else if (event.key === "End") set(most);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  say();
  return say;
}
