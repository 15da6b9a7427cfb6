// The dialog that saves events as a trace, a table or a picture. The browser
// writes the file; nothing leaves this machine.

import { button, byId, el } from "../shared/dom";
import { count, showable } from "../shared/format";
import { App } from "./app";
import { csvOf } from "./csv";
import { Extent, sizeOf } from "./extent";
import { drawPicture } from "./picture";
import { traceJsonOf } from "./trace_json";

interface Compressor {
  new (format: string): ReadableWritablePair<Uint8Array, Uint8Array>;
}

// What can be saved; the first one is the most special.
function extentsOf(app: App): Extent[] {
  const { model, view, timeline, layout } = app;
  const extents: Extent[] = [];
  if (timeline.range) {
    const { lanes } = timeline.range;
    extents.push({
      name:
        "the selected range" +
        (lanes
          ? `, ${count(lanes.size)} of ${count(model.lanes.length)} lanes`
          : ""),
      range: timeline.range,
      onlyChosen: false,
    });
  }
  if (model.chosen) {
    extents.push({ name: "what was found", onlyChosen: true });
  }
  const lanes = new Set(
    model.lanes.map((l) => l.index).filter((l) => layout.shows(`l${l}`)),
  );
  extents.push({
    name: "the view",
    range: {
      from: Math.max(0, view.from),
      to: Math.min(view.span, view.to),
      lanes: lanes.size < model.lanes.length ? lanes : undefined,
    },
    onlyChosen: false,
  });
  extents.push({ name: "everything", onlyChosen: false });
  return extents;
}

function download(blob: Blob, name: string) {
  const link = el("a", { attributes: { download: name } });
  link.href = URL.createObjectURL(blob);
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The pieces of a file as a stream, so that a large file needs little memory.
function streamOf(pieces: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A pause, so that the page stays usable.
      await new Promise((done) => window.setTimeout(done));
      const next = pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}

async function saveText(
  pieces: Generator<string>,
  name: string,
  compress: boolean,
) {
  let stream = streamOf(pieces);
  if (compress) {
    const { CompressionStream: Zip } = globalThis as unknown as {
      CompressionStream: Compressor;
    };
    stream = stream.pipeThrough(new Zip("gzip"));
  }
  download(await new Response(stream).blob(), name);
}

async function savePicture(app: App, extent: Extent, name: string) {
  const range = extent.range ?? { from: 0, to: app.view.span };
  const wide = Math.max(800, byId("main").clientWidth);
  const { canvas, cut } = drawPicture(app, range, app.timeline.theme, wide);
  const blob = await new Promise<Blob | null>((done) =>
    canvas.toBlob(done, "image/png"),
  );
  if (!blob) throw new Error("the browser cannot make a picture of this size");
  download(blob, name);
  return cut
    ? "The picture ends before the last lane; hide or collapse some."
    : "";
}

export function connectSave(app: App) {
  const dialog = byId<HTMLDialogElement>("save");
  const choose = byId<HTMLSelectElement>("save-what");
  const said = byId("save-said");
  const buttons = byId("save-as");
  let extents: Extent[] = [];
  const open = () => {
    if (dialog.open) return;
    extents = extentsOf(app);
    choose.replaceChildren(
      ...extents.map((extent, i) => {
        const size = sizeOf(app.model, extent);
        const option = el("option", {
          text: `${extent.name} (${count(size)} events)`,
        });
        option.value = String(i);
        return option;
      }),
    );
    said.textContent = "";
    dialog.showModal();
  };
  const base = showable(app.model.data.head.title)
    .replace(/[^\w.-]+/g, "_")
    .slice(0, 80);
  const save = async (
    kind: string,
    write: (extent: Extent) => Promise<string | void>,
  ) => {
    said.textContent = `Writing the ${kind}…`;
    try {
      const note = await write(extents[Number(choose.value)]);
      said.textContent = `The browser has the ${kind}. ${note ?? ""}`.trim();
    } catch (error) {
      said.textContent = `The ${kind} was not written: ${(error as Error).message}`;
    }
  };
  const add = (
    text: string,
    help: string,
    kind: string,
    write: (extent: Extent) => Promise<string | void>,
  ) => {
    const made = button(text, () => void save(kind, write), help);
    buttons.append(made);
    return made;
  };
  add(
    "Trace for Perfetto",
    "Chrome JSON, compressed: ui.perfetto.dev, chrome://tracing and tfprof open it",
    "trace",
    (extent) =>
      saveText(traceJsonOf(app.model, extent), `${base}.trace.json.gz`, true),
  ).id = "save-trace";
  add("CSV", "one line for each event", "table", (extent) =>
    saveText(csvOf(app.model, extent), `${base}.csv`, false),
  ).id = "save-csv";
  add("PNG", "a picture of the lanes with their names", "picture", (extent) =>
    savePicture(app, extent, `${base}.png`),
  ).id = "save-png";
  byId("save-open").addEventListener("click", open);
  byId("save-close").addEventListener("click", () => dialog.close());
}
