// The benchmark of whole commands: loads generated inputs of several sizes and
// shows the cost of each, next to raw parses of the same bytes.
//
//   ./dev bench                     sizes A, B, C, K100, T100, G100, and gate
//   ./dev bench --sizes=gate        only the input of the gate of ./dev check
//   ./dev bench --sizes=A,B,C,D,E --folder=/big/disk
//   ./dev bench --tensorflow=python3      also TensorFlow's own tfprof
//
// Each measurement runs in its own forked process, so that peak and resident
// memory belong to it alone; the inputs were read before, so the page cache is
// warm for all. Figures are medians of --runs. CPU is user plus system time of
// all threads. Figures of an export include its view but not loading; its
// memory is the additional anonymous memory after loading.

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "advisor/advice.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/choice.h"
#include "bench/generate.h"
#include "bench/measure.h"
#include "bench/measure_load.h"
#include "bench/raw_parse.h"
#include "bench/trace_bench.h"
#include "compare/gate_testing.h"
#include "exporters/formats/profile_proto.h"
#include "exporters/reference/pprof.h"
#include "exporters/reference/text.h"
#include "exporters/reference/timeline.h"
#include "fmt/format.h"
#include "loaders/core/import_log.h"
#include "loaders/core/load.h"
#include "profiler/shell/terminal/completion.h"
#include "profiler/shell/terminal/name_index.h"
#include "profiler/shell/terminal/suggest.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"
#include "util/run/threads.h"
#include "views/views.h"

namespace tfprof {
namespace {

loaders::LoadRequest Request(const GeneratedInputs& inputs, bool op_log) {
  loaders::LoadRequest request;
  request.flagged.push_back({"graph_path", inputs.graph});
  for (const std::string& run_meta : inputs.run_metas) {
    request.flagged.push_back({"run_meta_path", run_meta});
  }
  if (op_log) request.flagged.push_back({"op_log_path", inputs.op_log});
  return request;
}

std::vector<std::string> Paths(const GeneratedInputs& inputs) {
  std::vector<std::string> paths = inputs.run_metas;
  paths.push_back(inputs.graph);
  return paths;
}

double TotalBytes(const std::vector<std::string>& paths) {
  double bytes = 0;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::ate | std::ios::binary);
    bytes += static_cast<double>(file.tellg());
  }
  return bytes;
}

// The first and the repeated latency of the four views.
Figures MeasureViews(const GeneratedInputs& inputs) {
  const auto loaded = loaders::Load(Request(inputs, true));
  if (!loaded.ok()) return Figures(8, 0.0);
  Figures figures;
  views::Views views(loaded->profile);
  for (const views::View view : {views::View::kScope, views::View::kGraph,
                                 views::View::kOp, views::View::kCode}) {
    for (const auto order :
         {accounting::kMicros, accounting::kRequestedBytes}) {
      views::ViewOptions options;
      options.order = views::ViewOptions::Order::kStat;
      options.order_stat = order;
      const double start = Seconds();
      CountingSink sink;
      exporters::WriteText(
          views.Show(view, options), nullptr, [](std::string_view) {}, sink);
      figures.push_back(Seconds() - start);
    }
  }
  return figures;
}

// Latencies at the prompt: the first Tab, which has to read all names; a Tab
// after a part of a name; "did you mean" for a typing error; and a Tab after
// the names were sorted.
struct NameFigures {
  enum { kFirst, kWithin, kNearest, kSorted, kCount };
};

Figures MeasureNames(const GeneratedInputs& inputs) {
  loaders::LoadRequest request;
  request.flagged = {{"graph_path", inputs.graph}};
  const auto loaded = loaders::Load(request);
  if (!loaded.ok()) return Figures(NameFigures::kCount, 0.0);
  shell::NameIndex names(loaded->profile);
  const auto seconds = [&](const char* line) {
    const double start = Seconds();
    shell::Complete(line, {.names = &names});
    return Seconds() - start;
  };
  Figures figures;
  figures.push_back(seconds("scope -show_name_regexes "));
  figures.push_back(seconds("scope -show_name_regexes .*c"));
  views::ViewOptions options;
  options.show_names = {"twoer_0/resnet"};
  const double start = Seconds();
  shell::SuggestNames(views::View::kScope, options, names);
  figures.push_back(Seconds() - start);
  names.Prepare();
  // This is long enough to sort a million names, even on a busy machine.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  figures.push_back(seconds("scope -show_name_regexes "));
  return figures;
}

// The largest anonymous memory during its lifetime, sampled every millisecond.
class MemoryPeak {
 public:
  MemoryPeak() : watcher_([this] { Watch(); }) {}
  double Stop() {
    done_ = true;
    watcher_.join();
    return peak_;
  }

 private:
  void Watch() {
    while (!done_) {
      peak_ = std::max(peak_, StatusBytes("RssAnon"));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::atomic<bool> done_ = false;
  double peak_ = 0;
  std::thread watcher_;
};

// An export or command that is measured with new views.
struct Export {
  const char* name;
  std::function<absl::Status(views::Views& views, const std::string& out)> run;
};

const std::vector<Export>& Exports() {
  static const std::vector<Export> exports = {
      {"advise",
       [](views::Views& views, const std::string&) {
         const loaders::ImportLog log;
         advisor::RunCheckers({views, log},
                              advisor::ReferenceCheckers(advisor::Checkers()),
                              advisor::CheckerValues());
         return absl::OkStatus();
       }},
      {"graph -output timeline",
       [](views::Views& views, const std::string& out) {
         views::ViewOptions options;
         options.step = 0;
         options.max_depth = 10000;
         const views::Report report = views.Show(views::View::kGraph, options);
         return util::WriteFile(out, [&](util::Sink& sink) {
           exporters::WriteGraphTimeline(report, options.step, sink);
           return absl::OkStatus();
         });
       }},
      {"code -output pprof",
       [](views::Views& views, const std::string& out) {
         views::ViewOptions options;
         options.max_depth = 10000;
         const views::Report report = views.Show(views::View::kCode, options);
         const auto encoded = exporters::EncodePprof(
             report, accounting::kMicros, *report.node_stats);
         if (!encoded.ok()) return encoded.status();
         return util::WriteFile(out, [&](util::Sink& sink) {
           return util::GzipCompress(*encoded, sink);
         });
       }},
      {"save",
       [](views::Views& views, const std::string& out) {
         return util::WriteFile(out, [&](util::Sink& sink) {
           return exporters::WriteProfileProto(views.profile(), sink);
         });
       }},
  };
  return exports;
}

struct ExportFigures {
  enum { kWall, kCpu, kGrowth, kBytes, kCount };
};

Figures MeasureExport(const GeneratedInputs& inputs, const Export& measured,
                      const std::string& out) {
  auto loaded = loaders::Load(Request(inputs, true));
  if (!loaded.ok()) return Figures(ExportFigures::kCount, 0.0);
  malloc_trim(0);
  views::Views views(loaded->profile);
  const double wall = Seconds(), cpu = CpuSeconds();
  absl::Status status = measured.run(views, out);
  const double end = Seconds(), cpu_end = CpuSeconds();
  // The memory is measured in a second run, because watching costs time.
  malloc_trim(0);
  views::Views again(loaded->profile);
  const double before = StatusBytes("RssAnon");
  MemoryPeak peak;
  if (status.ok()) status = measured.run(again, out);
  const double growth = peak.Stop() - before;
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", measured.name,
            std::string(status.message()).c_str());
    return Figures(ExportFigures::kCount, 0.0);
  }
  const bool wrote = access(out.c_str(), F_OK) == 0;
  const double bytes = wrote ? TotalBytes({out}) : 0;
  unlink(out.c_str());
  return {end - wall, cpu_end - cpu, std::max(growth, 0.0), bytes};
}

std::string Flag(int argc, char** argv, const std::string& name,
                 const std::string& otherwise) {
  const std::string prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) == 0) {
      return argv[i] + prefix.size();
    }
  }
  return otherwise;
}

const std::vector<GeneratedSize>& Sizes() {
  static const std::vector<GeneratedSize> sizes = {
      {"A", 10000, 1, 1},    // 10k nodes, a step
      {"B", 100000, 1, 1},   // 100k nodes, a step
      {"C", 10000, 100, 1},  // 10k nodes, many steps
      {"D", 10000, 8, 105},  // 10 million executions in 9 files
      {"F", 10000, 1, 520},  // one file of more than 2 GiB
      {"E", 1000000, 1, 1},  // a million nodes
  };
  return sizes;
}

void RunSize(const GeneratedSize& size, const std::string& source,
             const std::string& folder, int runs,
             const std::string& tensorflow) {
  // This runs in a child process, so its memory is not counted below.
  const Figures generated = InChild(1, [&] {
    const absl::Status status = Generate(source, folder, size);
    if (!status.ok()) {
      fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    }
    return Figures{status.ok() ? 1.0 : 0.0};
  });
  if (generated[0] == 0) std::exit(1);
  const GeneratedInputs inputs = GeneratedPaths(folder, size);
  const std::vector<std::string> paths = Paths(inputs);
  const double bytes = TotalBytes(paths);
  const int all = util::NumThreads(util::TaskOptions());
  printf("== %s: %.0f MB in %zu files\n", size.name.c_str(), bytes / 1e6,
         paths.size());

  const Figures touch =
      Medians(runs, 2, [&] { return RawParse(paths, RawParser::kWireReader); });
  const Figures zero =
      Medians(runs, 2, [&] { return RawParse(paths, RawParser::kProtozero); });
  const Figures arena =
      bytes < 1.9e9
          ? Medians(1, 2, [&] { return RawParse(paths, RawParser::kArena); })
          : Figures(2, 0.0);
  const auto rate = [&](double seconds) {
    return seconds > 0 ? bytes / 1e6 / seconds : 0.0;
  };
  printf(
      "raw parse, every field, 1 thread: WireReader %.0f MB/s, protozero "
      "%.0f MB/s, libprotobuf arena %.0f MB/s\n",
      rate(touch[0]), rate(zero[0]), rate(arena[0]));
  for (const int threads : {1, all}) {
    const Figures load = Medians(runs, LoadFigures::kCount, [&] {
      return MeasureLoad(Request(inputs, false), threads);
    });
    const double executions = load[LoadFigures::kExecutions];
    printf(
        "load, %d thread%s: %.3f s wall, %.3f s CPU, %.0f MB/s, %.2f M "
        "executions/s; CPU rate %.2f of raw protozero\n",
        threads, threads == 1 ? "" : "s", load[LoadFigures::kWall],
        load[LoadFigures::kCpu], rate(load[LoadFigures::kWall]),
        executions / 1e6 / load[LoadFigures::kWall],
        zero[0] / load[LoadFigures::kCpu]);
    printf(
        "  %.0f executions, %.0f ns CPU each; resident %.1f MB (%.1f bytes "
        "per execution; tables %.1f MB), peak %.0f MB with file pages\n",
        executions, 1e9 * load[LoadFigures::kCpu] / executions,
        load[LoadFigures::kAnon] / 1e6, load[LoadFigures::kAnon] / executions,
        load[LoadFigures::kTables] / 1e6, load[LoadFigures::kPeak] / 1e6);
    if (threads == all) break;
  }
  const Figures views = Medians(runs, 8, [&] { return MeasureViews(inputs); });
  const char* names[] = {"scope", "graph", "op", "code"};
  for (int v = 0; v < 4; ++v) {
    printf("%-6s first %8.2f ms, repeated %8.2f ms\n", names[v],
           1e3 * views[2 * v], 1e3 * views[2 * v + 1]);
  }
  const Figures completion =
      Medians(runs, NameFigures::kCount, [&] { return MeasureNames(inputs); });
  printf(
      "Tab    first %8.2f ms, in names %.2f ms, sorted %.2f ms; did you mean "
      "%.2f ms\n",
      1e3 * completion[NameFigures::kFirst],
      1e3 * completion[NameFigures::kWithin],
      1e3 * completion[NameFigures::kSorted],
      1e3 * completion[NameFigures::kNearest]);
  for (const Export& measured : Exports()) {
    const Figures figures = Medians(runs, ExportFigures::kCount, [&] {
      return MeasureExport(inputs, measured, folder + "/export");
    });
    printf(
        "%-22s %.3f s wall, %.3f s CPU, memory grows by %.1f MB, file of "
        "%.1f MB\n",
        measured.name, figures[ExportFigures::kWall],
        figures[ExportFigures::kCpu], figures[ExportFigures::kGrowth] / 1e6,
        figures[ExportFigures::kBytes] / 1e6);
  }
  if (!tensorflow.empty()) {
    fflush(stdout);
    // TensorFlow takes 10 bytes of memory for each byte of input, and as much
    // again for an op log and for each view: large sizes are loaded and shown
    // once.
    const bool large = bytes > 1e9;
    const std::string command =
        fmt::format("{} tools/time_tensorflow.py --graph={} --run_meta={} {}",
                    tensorflow, inputs.graph, fmt::join(inputs.run_metas, ","),
                    large ? "--views=scope" : "--op_log=" + inputs.op_log);
    if (std::system(command.c_str()) != 0) {
      printf("(the real tfprof could not be timed: %s)\n", tensorflow.c_str());
    }
  }
  printf("\n");
}

}  // namespace
}  // namespace tfprof

int main(int argc, char** argv) {
  using namespace tfprof;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view known[] = {
        "--sizes=", "--folder=", "--source=", "--tensorflow=", "--runs="};
    if (std::any_of(std::begin(known), std::end(known),
                    [&](std::string_view name) {
                      return argument.starts_with(name);
                    })) {
      continue;
    }
    const bool asked = argument == "--help";
    fputs(
        "bench [--sizes=A,B,C,K100] [--folder=/tmp/tfprof_bench] [--runs=5]\n"
        "      [--source=PROFILE_FOLDER] [--tensorflow=PYTHON]\n"
        "Sizes are A to F, and K100, T500, …: see g3doc/performance.md. The "
        "size\n"
        "gate is the table of regressions that the gate of check finds.\n",
        asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  // The same settings as in the program.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // `bazel run` starts in another folder; the paths below are relative to the
  // repository.
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace != nullptr && chdir(workspace) != 0) return 1;
  const std::string wanted =
      Flag(argc, argv, "sizes", "A,B,C,K100,T100,G100,gate");
  const std::string folder = Flag(argc, argv, "folder", "/tmp/tfprof_bench");
  const std::string source =
      Flag(argc, argv, "source", "tests/golden/profiles/conv_resnet");
  const std::string tensorflow = Flag(argc, argv, "tensorflow", "");
  const int runs = std::atoi(Flag(argc, argv, "runs", "5").c_str());
  const auto is_wanted = [&](const std::string& name) {
    return ("," + wanted + ",").find("," + name + ",") != std::string::npos;
  };
  for (const GeneratedSize& size : Sizes()) {
    if (!is_wanted(size.name)) continue;
    RunSize(size, source, folder, std::max(runs, 1), tensorflow);
  }
  if (is_wanted("gate")) {
    std::printf(
        "\nThe default gate of check, on injected regressions:\n%s",
        compare::GateTable(compare::TryGate(compare::GateFamily::kSteady))
            .c_str());
    std::printf(
        "\nOn regressions of some steps of a program that saves:\n%s",
        compare::GateTable(compare::TryGate(compare::GateFamily::kCheckpoints))
            .c_str());
  }
  for (const TraceSize& size : TraceSizes()) {
    if (is_wanted(size.name)) RunTraceSize(size, folder, std::max(runs, 1));
  }
}
