// The server's data about running programs (g3doc/live.md), kept up to date by
// asking for changes, and the requests that change them.

import { Rules } from "./ask_form";

export interface Loss {
  traces: number;
  bytes: number;
  why: string;
}

export interface Client {
  client: string;
  name: string;
  rank: number | null;
  ranks: number | null;
  host: string;
  pid: number;
  framework: string;
  state: "running" | "idle" | "lost" | "ended" | "error";
  why: string;
  last_heard_ns: number;
  waiting: Loss;
  dropped: Loss;
  rows_left_out: number;
}

export interface Run {
  client: string;
  row: number;
  fetches: string;
  feeds: string[];
  kind: string;
  runs: number;
  failed: number;
  traces: number;
  last_ns: number | null;
  mean_ns: number | null;
  p50_ns: number | null;
  p95_ns: number | null;
  p99_ns: number | null;
  traced_mean_ns: number | null;
  step: number | null;
  spark: number[];
}

export interface Order {
  order: number;
  client: string;
  row: number | null;
  rule: string;
  state: "sent" | "armed" | "done" | "missed";
  left: number | null;
  why: string;
}

export interface Trace {
  id: string;
  file: string;
  client: string;
  row: number;
  fetches: string;
  count: number;
  step: number | null;
  start_ns: number;
  duration_ns: number | null;
  asked_by: string;
  kind: string;
  bytes: number;
  rank: number | null;
  pinned: boolean;
  name: string;
}

export interface Session {
  folder: string;
  bytes: number;
  limit_bytes: number;
  keep_traces: number;
  traces: number;
  evicted: number;
  dropped: number;
  damaged: string[];
}

export interface Live {
  version: number;
  since: number;
  live: boolean;
  read_only: boolean;
  session: Session;
  clients: Client[];
  rows: Run[];
  orders: Order[];
  traces: Trace[];
  why: string;
}

export const runKey = (client: string, row: number) => `${client}/${row}`;

// Merges a reply that has only changed rows into the known rows.
export function mergeRows(
  known: Map<string, Run>,
  reply: Live,
): Map<string, Run> {
  const rows = reply.since === 0 ? new Map<string, Run>() : known;
  for (const run of reply.rows) rows.set(runKey(run.client, run.row), run);
  return rows;
}

export class Store {
  reply: Live | undefined;
  rows = new Map<string, Run>();
  private asking = false;
  private again = false;

  constructor(private readonly changed: () => void) {}

  // Only one request at a time; a change in the meantime causes one more.
  async refresh(): Promise<void> {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      do {
        this.again = false;
        const since = this.reply?.version ?? 0;
        const response = await fetch(`/api/live?since=${since}`);
        if (!response.ok) return;
        const reply: Live = await response.json();
        this.rows = mergeRows(this.rows, reply);
        this.reply = reply;
        this.changed();
      } while (this.again);
    } finally {
      this.asking = false;
    }
  }
}

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const response = await fetch(path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.ok) return;
  const reply = await response.json().catch(() => undefined);
  throw new Error(
    reply?.error?.message ?? `the server answered ${response.status}`,
  );
}

export const orderRules = async (): Promise<Rules> =>
  (await fetch("/api/live/rules")).json();
export const order = (asked: object) => send("POST", "/api/orders", asked);
export const cancel = (number: number) =>
  send("DELETE", `/api/orders/${number}`);
export const cancelAll = () => send("DELETE", "/api/orders");
export const mark = (trace: string, change: object) =>
  send("PUT", `/api/traces/${trace}`, change);
export const remove = (trace: string) => send("DELETE", `/api/traces/${trace}`);
