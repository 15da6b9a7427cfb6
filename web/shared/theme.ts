// The colours of the page itself, from its style sheet, for canvases.

import { pixel } from "./pixels";

export interface Theme {
  back: string;
  lane: string; // of a lane
  head: string; // of a line of a process or device
  line: string;
  text: string;
  faint: string;
  accent: string;
  warn: string;
  backPixel: number;
  lanePixel: number;
  headPixel: number;
  faintPixel: number;
  linePixel: number;
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    back: of("back"),
    lane: of("lane"),
    head: of("head"),
    line: of("line"),
    text: of("text"),
    faint: of("faint"),
    accent: of("accent"),
    warn: of("warn"),
    backPixel: pixel(of("back")),
    lanePixel: pixel(of("lane")),
    headPixel: pixel(of("head")),
    faintPixel: pixel(of("faint")),
    linePixel: pixel(of("line")),
  };
}

const STORED = "tfprof-theme";

// "" follows the system.
export function applyTheme(name: string) {
  if (name === "") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem(STORED, name);
  } catch {
    // A page from a file may have no storage, so the choice is not saved.
  }
}

export function storedTheme(): string {
  try {
    const name = localStorage.getItem(STORED);
    return name === "dark" || name === "light" ? name : "";
  } catch {
    return "";
  }
}
