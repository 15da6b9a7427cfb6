// Requests to the server and its replies: the JSON of `-output json`.

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

export interface ColumnInfo {
  name: string;
  unit: string;
  of?: string;
}

export interface Table {
  columns: ColumnInfo[];
  rows: Row[];
  returned: number;
  total: number;
}

export interface Answer extends Partial<Table> {
  schema: string;
  facts: Record<string, Value>;
  tables?: Record<string, Table>;
}

export interface Reply {
  answer: Answer;
  notes: string[];
  rows: number; // that pages of the table can reach
}

export interface State {
  read_only: boolean;
  session: boolean; // it has a session of programs that run or ran
  last_event: number;
  profiles: Array<{ name: string; bytes: number | null }>;
  more: number;
}

export interface OptionInfo {
  name: string;
  help: string;
  value: string;
  default: string;
  kind: "integer" | "boolean" | "list" | "text";
  choices: string[];
}

export interface Catalog {
  commands: Array<{ name: string; help: string; options: string[] }>;
  options: OptionInfo[];
}

async function get(path: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, { signal });
  if (response.ok) return response;
  const body = await response.json().catch(() => undefined);
  throw new Error(
    body?.error?.message ?? `the server answered ${response.status}`,
  );
}

export async function getState(): Promise<State> {
  return (await get("/api/state")).json();
}

export async function getCatalog(): Promise<Catalog> {
  return (await get("/api/options")).json();
}

// Aborting a request also cancels it on the server.
export async function ask(
  command: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Reply> {
  const response = await get(`/api/${command}?${query}`, signal);
  const notes = response.headers.get("X-Tfprof-Notes");
  return {
    answer: await response.json(),
    notes: notes === null ? [] : JSON.parse(notes),
    rows: Number(response.headers.get("X-Tfprof-Rows") ?? 0),
  };
}

export async function reload(profile: string): Promise<void> {
  const response = await fetch(
    `/api/reload?${new URLSearchParams({ profile })}`,
    { method: "POST" },
  );
  if (!response.ok) throw new Error("the server refused to reload the profile");
}
