// The data of the page: a head in JSON, and columns of numbers.
//
// exporters/page/page.h describes the data, columns.h the storage of numbers.

export type Kind =
  | "compute"
  | "communication"
  | "copy"
  | "launch"
  | "annotation"
  | "other";

export interface Figures {
  span: number;
  busy: number;
  compute: number;
  communication: number;
  copies: number;
  overlap: number;
  exposed: number;
  idle: number;
  causes: Array<[string, number]>;
}

export interface AccountPart {
  name: string;
  kind: string;
  ticks: number;
  most: string;
}

export interface Device {
  process: number;
  label: string;
  name: string;
  accelerator: boolean;
  figures?: Figures;
  account?: AccountPart[]; // of accountStep, largest first
}

export interface Lane {
  device: number;
  name: string;
  kind: Kind;
  counted: boolean;
  thread: number; // lanes of one thread nest; -1: none
  events: number;
}

export interface CounterHead {
  device: number; // -1: belongs to the process
  process: number;
  name: string;
  unit: string;
  change: boolean;
  samples: number;
}

export interface Finding {
  severity: string;
  checker: string;
  rule: string;
  subject: string;
  text: string;
  advice: string;
  evidence: string;
}

export interface Head {
  format: number;
  title: string;
  program: string;
  nested: boolean; // events inside others are part of them
  ticksPerMicro: number;
  origin: string;
  span: number;
  accountStep: number; // the step of the devices' accounts; -1: none
  notes: string[];
  counts: Record<string, number>;
  processes: string[];
  devices: Device[];
  lanes: Lane[];
  stepNumbers: number[];
  counters: CounterHead[];
  findings: Finding[];
}

// Consecutive numbers; a missing id is -1.
export class Varints {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }
  next(): number {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }
  signed(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  id(): number {
    return this.next() - 1;
  }
}

export function fromBase64(text: string): Uint8Array {
  // Newer browsers do it ten times as fast.
  const native = (
    Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }
  ).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

interface Decompressor {
  new (format: string): ReadableWritablePair<Uint8Array, Uint8Array>;
}

export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const known = globalThis as unknown as { DecompressionStream?: Decompressor };
  if (!known.DecompressionStream) {
    throw new Error(
      "this browser cannot decompress (it has no " +
        "DecompressionStream); use Chrome 80, Firefox 113, Safari 16.4 or later",
    );
  }
  const stream = new Blob([bytes])
    .stream()
    .pipeThrough(new known.DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export interface Step {
  number: number;
  process: number; // -1: all processes
  name: number; // a string; -1: none
  start: number;
  end: number;
}

export interface Transfer {
  event: number;
  bytes: number; // -1: not recorded
  tensor: number;
  from: number;
  to: number;
}

// The critical path's data about an event.
export interface PathEvent {
  onPath: number; // ticks; 0: not on the path
  slack: number; // ticks by which it could end later
}

export interface Tree {
  parent: Uint32Array;
  name: Int32Array;
  file: Int32Array;
  line: Int32Array;
}

export interface Samples {
  time: Float64Array;
  value: Float64Array;
  event: Int32Array;
}

export interface Data {
  head: Head;
  strings: string[];
  start: Float64Array;
  duration: Float64Array;
  entry: Uint32Array;
  step: Int32Array; // in head.stepNumbers; -1: in none
  detail: Uint32Array;
  entryName: Int32Array;
  entryOp: Int32Array;
  entryNode: Int32Array;
  entryScope: Uint32Array;
  entryStack: Uint32Array;
  inputFirst: Uint32Array; // by entry, plus one more
  inputs: Int32Array;
  scopes: Tree;
  stacks: Tree;
  steps: Step[];
  transfers: Transfer[];
  linkFrom: Uint32Array; // ascending
  linkTo: Uint32Array;
  linkKind: Uint8Array;
  path: Map<number, PathEvent>; // by event
  details: Array<Array<[number, number]>>;
  samples: Samples[]; // by counter
}

function tree(numbers: Varints, size: number): Tree {
  const result = {
    parent: new Uint32Array(size),
    name: new Int32Array(size),
    file: new Int32Array(size),
    line: new Int32Array(size),
  };
  for (let i = 0; i < size; ++i) {
    result.parent[i] = numbers.next();
    result.name[i] = numbers.id();
    result.file[i] = numbers.id();
    result.line[i] = numbers.signed();
  }
  return result;
}

function ids(numbers: Varints, size: number): Int32Array {
  const result = new Int32Array(size);
  for (let i = 0; i < size; ++i) result[i] = numbers.id();
  return result;
}

function naturals(numbers: Varints, size: number): Uint32Array {
  const result = new Uint32Array(size);
  for (let i = 0; i < size; ++i) result[i] = numbers.next();
  return result;
}

function starts(numbers: Varints, head: Head): Float64Array {
  const result = new Float64Array(head.counts.events);
  let at = 0;
  for (const lane of head.lanes) {
    let time = 0;
    for (const end = at + lane.events; at < end; ++at) {
      time += numbers.next();
      result[at] = time;
    }
  }
  return result;
}

// `text` gives the base64 of a column by its id.
export async function decode(
  head: Head,
  text: (id: string) => string,
): Promise<Data> {
  const column = async (id: string) => {
    const encoded = text(id);
    return encoded === ""
      ? new Uint8Array(0)
      : await gunzip(fromBase64(encoded));
  };
  const names = [
    "strings",
    "event-start",
    "event-duration",
    "event-entry",
    "event-step",
    "event-detail",
    "entry-name",
    "entry-op",
    "entry-node",
    "entry-scope",
    "entry-stack",
    "entry-inputs",
    "scopes",
    "stacks",
    "steps",
    "transfers",
    "links",
    "path",
    "details",
    "sample-time",
    "sample-value",
    "sample-event",
  ];
  const all = await Promise.all(names.map(column));
  const raw = new Map(names.map((name, i) => [name, all[i]]));
  const bytesOf = (name: string) => raw.get(name) as Uint8Array;
  const of = (name: string) => new Varints(bytesOf(name));
  const { events, entries, links: numLinks } = head.counts;

  const duration = new Float64Array(events);
  const durations = of("event-duration");
  for (let i = 0; i < events; ++i) duration[i] = durations.next();

  const inputFirst = new Uint32Array(entries + 1);
  const inputList: number[] = [];
  const inputs = of("entry-inputs");
  for (let e = 0; e < entries; ++e) {
    inputFirst[e] = inputList.length;
    for (let k = inputs.next(); k > 0; --k) inputList.push(inputs.id());
  }
  inputFirst[entries] = inputList.length;

  const steps: Step[] = [];
  for (const r = of("steps"); !r.done; ) {
    const step = {
      number: r.signed(),
      process: r.id(),
      name: r.id(),
      start: r.next(),
      end: 0,
    };
    step.end = step.start + r.next();
    steps.push(step);
  }
  const transfers: Transfer[] = [];
  const moved = of("transfers");
  for (let event = 0; !moved.done; ) {
    event += moved.next();
    transfers.push({
      event,
      bytes: moved.next() - 1,
      tensor: moved.id(),
      from: moved.id(),
      to: moved.id(),
    });
  }
  const links = of("links");
  const linkFrom = new Uint32Array(numLinks);
  const linkTo = new Uint32Array(numLinks);
  const linkKind = new Uint8Array(numLinks);
  for (let i = 0, from = 0, to = 0; i < numLinks; ++i) {
    linkFrom[i] = from += links.next();
    linkTo[i] = to += links.signed();
    linkKind[i] = links.next();
  }
  const path = new Map<number, PathEvent>();
  const onPath = of("path");
  for (let event = 0; !onPath.done; ) {
    event += onPath.next();
    path.set(event, { onPath: onPath.next(), slack: onPath.next() });
  }
  const details: Array<Array<[number, number]>> = [];
  for (const r = of("details"); !r.done; ) {
    const fields: Array<[number, number]> = [];
    for (let k = r.next(); k > 0; --k) fields.push([r.id(), r.id()]);
    details.push(fields);
  }
  const times = of("sample-time");
  const owners = of("sample-event");
  const values = bytesOf("sample-value");
  const view = new DataView(values.buffer, values.byteOffset, values.length);
  let sample = 0;
  const samples = head.counters.map((counter) => {
    const result = {
      time: new Float64Array(counter.samples),
      value: new Float64Array(counter.samples),
      event: new Int32Array(counter.samples),
    };
    for (let i = 0, time = 0; i < counter.samples; ++i, ++sample) {
      result.time[i] = time += times.signed();
      result.value[i] = view.getFloat64(8 * sample, true);
      result.event[i] = owners.id();
    }
    return result;
  });
  return {
    head,
    strings: JSON.parse(new TextDecoder().decode(bytesOf("strings"))),
    start: starts(of("event-start"), head),
    duration,
    entry: naturals(of("event-entry"), events),
    step: ids(of("event-step"), events),
    detail: naturals(of("event-detail"), events),
    entryName: ids(of("entry-name"), entries),
    entryOp: ids(of("entry-op"), entries),
    entryNode: ids(of("entry-node"), entries),
    entryScope: naturals(of("entry-scope"), entries),
    entryStack: naturals(of("entry-stack"), entries),
    inputFirst,
    inputs: Int32Array.from(inputList),
    scopes: tree(of("scopes"), head.counts.scopes),
    stacks: tree(of("stacks"), head.counts.stacks),
    steps,
    transfers,
    linkFrom,
    linkTo,
    linkKind,
    path,
    details,
    samples,
  };
}
