// The views of the server's pages: their addresses and their requests.

export interface View {
  path: string;
  name: string;
  command: string;
  // The parameters of the request that the address leaves out.
  defaults: Record<string, string>;
  help: string;
  // What is said instead of a table without rows: what to record or open.
  empty?: string;
}

// A graph, sums, and a memory snapshot have no times.
const NO_TIMES =
  "A trace has the start and the end of each execution: record a step with " +
  "torch.profiler, jax.profiler, tf.profiler or tf.RunMetadata.";

export const VIEWS: View[] = [
  {
    path: "overview",
    name: "Overview",
    command: "overview",
    defaults: {},
    help: "What costs most, and where the time goes.",
  },
  {
    path: "explain",
    name: "Explain",
    command: "explain",
    defaults: {},
    help: "Where the wall time of a step goes, and why.",
    empty: NO_TIMES,
  },
  {
    path: "steps",
    name: "Steps",
    command: "steps",
    defaults: {},
    help: "How long each step took, and how busy the devices were.",
    empty: `No step was recorded. ${NO_TIMES}`,
  },
  {
    path: "op",
    name: "Operations",
    command: "op",
    defaults: { max_depth: "1000000" },
    help: "The cost of each type of operation, on accelerators and on the CPU.",
    empty: `No operation was recorded. ${NO_TIMES}`,
  },
  {
    path: "kernels",
    name: "Kernels",
    command: "kernels",
    defaults: {},
    help: "The work of the accelerators by name.",
    empty:
      "No kernel was recorded. Traces of accelerators have them: " +
      "torch.profiler with ProfilerActivity.CUDA, jax.profiler, tf.profiler.",
  },
  {
    path: "devices",
    name: "Devices",
    command: "devices",
    defaults: {},
    help: "How busy each device was, and what it did.",
  },
  {
    path: "memory",
    name: "Memory",
    command: "memory",
    defaults: { part: "map", points: "300", owners: "12" },
    help:
      "Who holds the memory over time. The wheel zooms, dragging moves, and a " +
      "click selects an owner and a moment.",
    empty:
      "A memory snapshot has every allocation: PyTorch records one with " +
      "torch.cuda.memory._record_memory_history() and _dump_snapshot(file); " +
      "open that file, alone or with a trace.",
  },
  {
    path: "flame",
    name: "Flame graph",
    command: "flame",
    defaults: {},
    help:
      "Which part takes the time: each row divides the one above it. A click " +
      "makes a part as wide as the picture.",
    empty: NO_TIMES,
  },
  {
    path: "source",
    name: "Source",
    command: "list",
    defaults: {},
    help: "The time of each line of a file.",
    empty:
      "Call stacks tell which line made what. PyTorch records them with " +
      "torch.profiler.profile(with_stack=True), TensorFlow 1 with an op log " +
      "(tf.profiler.write_op_log), JAX with python_tracer_level=1.",
  },
  {
    path: "scope",
    name: "Scopes",
    command: "scope",
    defaults: { max_depth: "4" },
    help: "The layers of the model as a tree. Its options open more levels.",
  },
  {
    path: "code",
    name: "Code",
    command: "code",
    // Frames of the launcher and the framework come before those of a model.
    defaults: { max_depth: "20" },
    help: "The lines of Python that made the operations.",
    empty:
      "Call stacks tell which line made what. PyTorch records them with " +
      "torch.profiler.profile(with_stack=True), TensorFlow 1 with an op log " +
      "(tf.profiler.write_op_log), JAX with python_tracer_level=1.",
  },
  {
    path: "graph",
    name: "Graph",
    command: "drawing",
    defaults: {},
    help:
      "The flow of data. A click on a scope opens it; the width of an edge " +
      "shows its bytes.",
  },
  {
    path: "roofline",
    name: "Roofline",
    command: "roofline",
    defaults: {},
    help: "How near the operations come to the limits of the device.",
  },
  {
    path: "critical_path",
    name: "Critical path",
    command: "critical_path",
    defaults: {},
    help: "The work that a step could not do without waiting for it.",
    empty: NO_TIMES,
  },
  {
    path: "ranks",
    name: "Ranks",
    command: "skew",
    defaults: {},
    help: "The rank that the others wait for, in each step of several ranks.",
    empty:
      "These are the steps of one process. Open the traces of several ranks " +
      "together: several files, or their folder.",
  },
  {
    path: "collectives",
    name: "Collectives",
    command: "collectives",
    defaults: {},
    help: "Which rank does not call what the others wait for.",
  },
  {
    path: "compiles",
    name: "Compiles",
    command: "compiles",
    defaults: {},
    help: "What torch.compile compiled, why again, and where it broke.",
  },
  {
    path: "advice",
    name: "Advice",
    command: "advise",
    defaults: { argument: "all" },
    help: "The findings of the checkers, worst first.",
  },
  {
    path: "compare",
    name: "Compare",
    command: "op",
    defaults: {},
    help: "This profile compared with another one, largest changes first.",
  },
];

// This view is added if the server has a session.
export const LIVE: View = {
  path: "live",
  name: "Runs",
  command: "",
  defaults: {},
  help: "Running programs: their runs, times, and traces on request.",
};
export const OF_SESSION: View[] = [
  {
    path: "average",
    name: "Average",
    command: "average",
    defaults: {},
    help:
      "The cost of each operation in all traces together, and how much " +
      "it varies.",
  },
];
