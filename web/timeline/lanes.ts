// Which lanes are shown: pinned ones are at the top, hidden ones and those that
// the filter leaves out are not drawn.
//
// A key names a thing on the page by a letter and its number in the file: "p" a
// process, "d" a device, "l" a lane, "c" a counter. Only lanes and counters can
// be pinned or hidden; a process or a device without any is not drawn.

export class LaneChoice {
  pinned: string[] = []; // in the order in which they are shown
  readonly hidden = new Set<string>();
  filter = "";

  // The filter's words must all be in the text, in any case.
  matches(text: string): boolean {
    const wanted = this.filter.toLowerCase().split(/\s+/);
    const inside = text.toLowerCase();
    return wanted.every((word) => inside.includes(word));
  }
  pin(key: string) {
    if (this.pinned.includes(key)) {
      this.pinned = this.pinned.filter((k) => k !== key);
    } else {
      this.pinned.push(key);
      this.hidden.delete(key);
    }
  }
  hide(keys: string[]) {
    for (const key of keys) this.hidden.add(key);
    this.pinned = this.pinned.filter((k) => !this.hidden.has(k));
  }
  show(keys: string[]) {
    for (const key of keys) this.hidden.delete(key);
  }
}

// Keys as a short text: "l3-5.c1". The order is kept.
export function formatKeys(keys: string[]): string {
  const parts: string[] = [];
  for (let i = 0; i < keys.length; ) {
    const letter = keys[i][0];
    const first = Number(keys[i].slice(1));
    let size = 1;
    while (keys[i + size] === `${letter}${first + size}`) ++size;
    parts.push(size === 1 ? keys[i] : `${keys[i]}-${first + size - 1}`);
    i += size;
  }
  return parts.join(".");
}

// Keys by letter and number, so that formatKeys() is short.
export function sortKeys(keys: Iterable<string>): string[] {
  return [...keys].sort(
    (a, b) =>
      a.charCodeAt(0) - b.charCodeAt(0) ||
      Number(a.slice(1)) - Number(b.slice(1)),
  );
}

// The keys of a text of an address; `sizes` has the number of things of each
// letter, and what is not there is left out.
export function parseKeys(
  text: string,
  sizes: Record<string, number>,
): string[] {
  const keys = new Set<string>();
  for (const part of text.split(".")) {
    const match = /^([a-z])(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) continue;
    const last = Math.min(
      Number(match[3] ?? match[2]),
      (sizes[match[1]] ?? 0) - 1,
    );
    for (let i = Number(match[2]); i <= last; ++i) keys.add(`${match[1]}${i}`);
  }
  return [...keys];
}
