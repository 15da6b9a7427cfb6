// Requests to the server and its replies: the JSON of `-output json`.

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

export interface ColumnInfo {
  name: string;
  unit: string;
  of?: string;
  title?: string; // as the terminal prints it, if it is another word
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
  restarted: string; // why the server was started again; "" if it was not
  profiles: Array<{ name: string; bytes: number | null }>;
  more: number;
  newest: string; // the profile of a page that names none; "": there is none
}

export interface OptionInfo {
  name: string;
  help: string;
  value: string;
  default: string;
  kind: "integer" | "boolean" | "list" | "text";
  choices: string[];
}

export interface Term {
  word: string;
  meaning: string;
}

export interface Catalog {
  commands: Array<{ name: string; help: string; options: string[] }>;
  options: OptionInfo[];
  terms: Term[];
}

// The profile has no record of what was asked for.
export class Missing extends Error {}

async function get(path: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, { signal });
  if (response.ok) return response;
  const body = await response.json().catch(() => undefined);
  const message =
    body?.error?.message ?? `the server answered ${response.status}`;
  throw response.status === 409 ? new Missing(message) : new Error(message);
}

export async function getState(): Promise<State> {
  return (await get("/api/state")).json();
}

export async function getCatalog(): Promise<Catalog> {
  return (await get("/api/options")).json();
}

type Titles = Record<string, Record<string, string>>;

// The titles of a table are by its name; a table alone has that of the answer.
function addTitles(answer: Answer, header: string | null) {
  if (header === null) return;
  const titles: Titles = JSON.parse(header);
  const add = (columns: ColumnInfo[], of: Record<string, string> = {}) => {
    for (const column of columns) column.title = of[column.name];
  };
  if (answer.columns) add(answer.columns, Object.values(titles)[0]);
  for (const [name, table] of Object.entries(answer.tables ?? {})) {
    add(table.columns, titles[name]);
  }
}

// Aborting a request also cancels it on the server.
export async function ask(
  command: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Reply> {
  const response = await get(`/api/${command}?${query}`, signal);
  const notes = response.headers.get("X-Tfprof-Notes");
  const answer: Answer = await response.json();
  addTitles(answer, response.headers.get("X-Tfprof-Titles"));
  return {
    answer,
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
