// The whole profile in a strip: the events by kind, and the visible part.

import { mix, pixel } from "../shared/pixels";
import { Theme } from "../shared/theme";
import { KIND_COLORS } from "./colors";
import { Model } from "./model";
import { newSampled, sample } from "./rows";
import { View } from "./view";

const STRIPS = [["compute"], ["communication"], ["copy", "launch"]];

export class Minimap {
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | undefined;
  private width = 1;
  private height = 1;
  private scale = 1;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly model: Model,
    private readonly view: View,
    private readonly moved: () => void,
    private readonly settled: () => void,
  ) {
    this.context = canvas.getContext("2d", {
      alpha: false,
    }) as CanvasRenderingContext2D;
    this.listen();
  }

  resize(width: number, height: number) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * this.scale);
    this.canvas.height = Math.round(this.height * this.scale);
    this.image = undefined;
  }

  invalidate() {
    this.image = undefined;
  }

  private paint(theme: Theme): ImageData {
    const { model } = this;
    const w = this.canvas.width;
    const h = this.canvas.height;
    const image = this.context.createImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(theme.lanePixel);
    const { start, duration } = model.data;
    const source = { start, duration, chosen: model.chosen };
    const used = STRIPS.filter((kinds) =>
      model.lanes.some((l) => l.lane.counted && kinds.includes(l.lane.kind)),
    );
    const height = Math.floor((h - 4) / Math.max(1, used.length));
    used.forEach((kinds, s) => {
      const out = newSampled(w);
      let devices = 0;
      for (const lane of model.lanes) {
        if (!lane.lane.counted || !kinds.includes(lane.lane.kind)) continue;
        ++devices;
        for (const row of lane.rows) {
          sample(
            row,
            source,
            0,
            Math.max(this.view.span, 4) / w,
            out,
            Infinity,
            () => undefined,
          );
        }
      }
      const color = pixel(KIND_COLORS[kinds[0]]);
      for (let x = 0; x < w; ++x) {
        const part = Math.min(1, out.hit[x] / Math.max(1, Math.sqrt(devices)));
        if (part <= 0) continue;
        const value = mix(color, theme.lanePixel, 0.25 + 0.75 * part);
        const tall = Math.max(2, Math.round((height - 2) * part));
        const bottom = 2 + (s + 1) * height - 1;
        for (let y = bottom - tall; y < bottom; ++y) pixels[y * w + x] = value;
      }
    });
    return image;
  }

  draw(theme: Theme) {
    const { context } = this;
    this.image ??= this.paint(theme);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, 0, 0);
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    const span = Math.max(this.view.span, 4);
    const x0 = Math.max(0, (this.view.from / span) * this.width);
    const x1 = Math.min(this.width, (this.view.to / span) * this.width);
    context.fillStyle = theme.back;
    context.globalAlpha = 0.6;
    context.fillRect(0, 0, x0, this.height);
    context.fillRect(x1, 0, this.width - x1, this.height);
    context.globalAlpha = 1;
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.strokeRect(x0 + 0.5, 1, Math.max(3, x1 - x0 - 1), this.height - 2);
  }

  // A drag that starts inside the visible part moves it; any other drag shows
  // the range that it covers.
  private listen() {
    let begin: number | undefined;
    let offset: number | undefined;
    const at = (event: PointerEvent) =>
      ((event.clientX - this.canvas.getBoundingClientRect().left) /
        this.width) *
      Math.max(this.view.span, 4);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      begin = at(event);
      const inside = begin >= this.view.from && begin <= this.view.to;
      const all = this.view.to - this.view.from >= this.view.span;
      offset = inside && !all ? begin - this.view.from : undefined;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (begin === undefined) return;
      const now = at(event);
      if (offset !== undefined) {
        const size = this.view.to - this.view.from;
        this.view.set(now - offset, now - offset + size);
      } else if (Math.abs(now - begin) > this.view.span / this.width) {
        this.view.set(Math.min(begin, now), Math.max(begin, now));
      }
      this.moved();
    });
    const end = (event: PointerEvent) => {
      if (begin === undefined) return;
      const now = at(event);
      const size = this.view.to - this.view.from;
      if (
        offset === undefined &&
        Math.abs(now - begin) <= this.view.span / this.width
      ) {
        this.view.set(now - size / 2, now + size / 2);
      }
      begin = undefined;
      this.moved();
      this.settled();
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", () => (begin = undefined));
  }
}
