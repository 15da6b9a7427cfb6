// The scroll bar of the lanes. It is hidden if all of them are in sight.

import { el } from "../shared/dom";

export class Scrollbar {
  private readonly thumb = el("div", { class: "thumb" });
  private y = 0;
  private room = 1; // the height in sight
  private all = 1; // the height of everything

  // `moved` gets the new position in pixels.
  constructor(
    readonly root: HTMLElement,
    private readonly moved: (y: number) => void,
  ) {
    root.append(this.thumb);
    this.listen();
  }

  update(y: number, room: number, all: number) {
    const hidden = all <= room;
    if (this.root.hidden !== hidden) this.root.hidden = hidden;
    if (this.y === y && this.room === room && this.all === all) return;
    [this.y, this.room, this.all] = [y, room, all];
    this.thumb.style.top = `${(100 * y) / all}%`;
    this.thumb.style.height = `${(100 * room) / all}%`;
    const most = Math.max(0, Math.round(all - room));
    this.root.setAttribute("aria-valuemax", String(most));
    this.root.setAttribute("aria-valuenow", String(Math.round(y)));
  }

  // A drag of the thumb moves it; a press elsewhere moves it there first.
  private listen() {
    const { root } = this;
    root.setAttribute("aria-valuemin", "0");
    let grip: number | undefined; // where the thumb is held, in pixels of it
    const at = (event: PointerEvent) =>
      ((event.clientY - root.getBoundingClientRect().top) / root.clientHeight) *
      this.all;
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      const held = at(event) - this.y;
      grip = held >= 0 && held <= this.room ? held : this.room / 2;
      this.moved(at(event) - grip);
    });
    root.addEventListener("pointermove", (event) => {
      if (grip !== undefined) this.moved(at(event) - grip);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      root.addEventListener(end, () => (grip = undefined));
    }
    root.addEventListener("keydown", (event) => {
      const page = this.room * 0.9;
      const steps: Record<string, number> = {
        ArrowDown: 60,
        ArrowUp: -60,
        PageDown: page,
        PageUp: -page,
        End: this.all,
        Home: -this.all,
      };
      if (!(event.key in steps)) return;
      this.moved(this.y + steps[event.key]);
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
