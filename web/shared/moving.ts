// Arrows move among the parts of a picture, of which Tab reaches one.

// The part that a key leads to; the same one if it leads nowhere.
export type Move = (key: string, at: number) => number;

// A list from left to right.
export function along(count: number): Move {
  return (key, at) =>
    key === "ArrowRight"
      ? Math.min(count - 1, at + 1)
      : key === "ArrowLeft"
        ? Math.max(0, at - 1)
        : key === "Home"
          ? 0
          : key === "End"
            ? count - 1
            : at;
}

// A grid whose parts go down its columns first.
export function across(rows: number, columns: number): Move {
  return (key, at) => {
    const row = at % rows;
    const column = (at - row) / rows;
    switch (key) {
      case "ArrowDown":
        return row + 1 < rows ? at + 1 : at;
      case "ArrowUp":
        return row > 0 ? at - 1 : at;
      case "ArrowRight":
        return column + 1 < columns ? at + rows : at;
      case "ArrowLeft":
        return column > 0 ? at - rows : at;
      case "Home":
        return row;
      case "End":
        return row + rows * (columns - 1);
      default:
        return at;
    }
  };
}

// `first` is the part that Tab reaches at the beginning.
export function moveByKeys(
  parts: Array<HTMLElement | SVGElement>,
  move: Move,
  first = 0,
) {
  let current = first;
  parts.forEach((part, i) => {
    part.setAttribute("tabindex", i === first ? "0" : "-1");
    part.addEventListener("keydown", (event) => {
      const { key, ctrlKey, metaKey, altKey } = event as KeyboardEvent;
      if (ctrlKey || metaKey || altKey) return;
      const to = move(key, i);
      if (to === i) return;
      event.preventDefault();
      parts[to].focus();
    });
    // Also by a click.
    part.addEventListener("focus", () => {
      parts[current].setAttribute("tabindex", "-1");
      part.setAttribute("tabindex", "0");
      current = i;
    });
  });
}
