#include "bench/trace_bench.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "bench/measure.h"
#include "bench/measure_load.h"
#include "bench/raw_parse.h"
#include "loaders/core/load.h"
#include "util/files/sink.h"
#include "util/run/threads.h"
#include "views/views.h"

namespace tfprof {
namespace {

constexpr int64_t kMegabyte = 1000000;
// libprotobuf cannot read messages of 2 GiB or more.
constexpr double kMaxMessage = 1.9e9;

std::string PathOf(const TraceSize& size, const std::string& folder) {
  return folder + "/" + size.name +
         (size.kind == TraceKind::kKineto ? ".json" : ".xplane.pb");
}

struct FileFigures {
  enum { kBytes, kEvents, kKernels, kSteps, kCount };
};

// Writes the file if it does not exist; counts its content in any case.
Figures MakeFile(const TraceSize& size, const std::string& path) {
  const TraceShape shape = ShapeForBytes({.kind = size.kind}, size.bytes);
  TraceTotals totals;
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    util::NullSink sink;
    totals = WriteTrace(shape, sink);
  }
  if (totals.bytes == 0 || totals.bytes != info.st_size) {
    const absl::Status status = util::WriteFile(path, [&](util::Sink& sink) {
      totals = WriteTrace(shape, sink);
      return absl::OkStatus();
    });
    if (!status.ok()) {
      fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      return Figures(FileFigures::kCount, 0.0);
    }
  }
  return {static_cast<double>(totals.bytes), static_cast<double>(totals.events),
          static_cast<double>(totals.kernels),
          static_cast<double>(totals.steps)};
}

// Times of the op view in a session: the first time, in another order, and the
// same view again.
struct OpFigures {
  enum { kFirst, kOtherOrder, kSame, kCount };
};

Figures MeasureOp(const std::string& path) {
  loaders::LoadRequest request;
  request.files = {path};
  const auto loaded = loaders::Load(request);
  if (!loaded.ok()) return Figures(OpFigures::kCount, 0.0);
  Figures figures;
  views::Views views(loaded->profile);
  for (const auto order : {accounting::kMicros, accounting::kRequestedBytes,
                           accounting::kRequestedBytes}) {
    views::ViewOptions options;
    options.order = views::ViewOptions::Order::kStat;
    options.order_stat = order;
    const double start = Seconds();
    const views::Report report = views.Show(views::View::kOp, options);
    figures.push_back(Seconds() - start);
  }
  return figures;
}

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

void PrintLoad(const char* threads, const Figures& load, const Figures& file) {
  const double bytes = file[FileFigures::kBytes];
  const double events = file[FileFigures::kEvents];
  const double tables = load[LoadFigures::kTables];
  printf(
      "load, %s: %.3f s wall, %.3f s CPU, %.0f MB/s, %.2f M events/s; per CPU "
      "second %.0f MB, %.2f M events\n",
      threads, load[LoadFigures::kWall], load[LoadFigures::kCpu],
      Ratio(bytes / 1e6, load[LoadFigures::kWall]),
      Ratio(events / 1e6, load[LoadFigures::kWall]),
      Ratio(bytes / 1e6, load[LoadFigures::kCpu]),
      Ratio(events / 1e6, load[LoadFigures::kCpu]));
  printf(
      "  resident %.1f MB, %.1f bytes per event; tables %.1f MB, %.1f bytes "
      "per event without strings (%.1f MB); peak %.0f MB with file pages\n",
      load[LoadFigures::kAnon] / 1e6, Ratio(load[LoadFigures::kAnon], events),
      tables / 1e6, Ratio(tables - load[LoadFigures::kStrings], events),
      load[LoadFigures::kStrings] / 1e6, load[LoadFigures::kPeak] / 1e6);
}

// Prints the CPU time of other readers for the same bytes, next to the CPU time
// of a load.
void PrintOthers(const TraceSize& size, const std::string& path, int runs,
                 double bytes, double load_cpu) {
  const auto print = [&](const char* what, const Figures& figures) {
    printf("  %s %.0f MB/s; our load takes %.2f of its time\n", what,
           Ratio(bytes / 1e6, figures[0]), Ratio(load_cpu, figures[0]));
  };
  if (size.kind == TraceKind::kKineto) {
    if (HasRawJsonParser()) {
      print("RapidJSON, events only:",
            Medians(runs, 2, [&] { return RawParseJson(path); }));
    } else {
      printf("  (RapidJSON is not there: install rapidjson-dev and build)\n");
    }
    return;
  }
  const auto measure = [&](RawParser parser) {
    return Medians(runs, 2, [&] { return RawParseXSpace(path, parser); });
  };
  print("WireReader, every field:", measure(RawParser::kWireReader));
  print("protozero, every field:", measure(RawParser::kProtozero));
  if (bytes < kMaxMessage) {
    print("libprotobuf with an arena:", measure(RawParser::kArena));
  } else {
    printf("  (libprotobuf reads no message of 2 GiB)\n");
  }
}

}  // namespace

const std::vector<TraceSize>& TraceSizes() {
  static const std::vector<TraceSize> sizes = {
      {"K100", TraceKind::kKineto, 100 * kMegabyte},
      {"K500", TraceKind::kKineto, 500 * kMegabyte},
      {"K5000", TraceKind::kKineto, 5000 * kMegabyte},
      {"T100", TraceKind::kXPlaneTpu, 100 * kMegabyte},
      {"T500", TraceKind::kXPlaneTpu, 500 * kMegabyte},
      {"G100", TraceKind::kXPlaneGpu, 100 * kMegabyte},
      {"G500", TraceKind::kXPlaneGpu, 500 * kMegabyte},
      {"G5000", TraceKind::kXPlaneGpu, 5000 * kMegabyte},
  };
  return sizes;
}

void RunTraceSize(const TraceSize& size, const std::string& folder, int runs) {
  mkdir(folder.c_str(), 0777);
  const std::string path = PathOf(size, folder);
  // This runs in a child process, so its memory is not counted below.
  const Figures file =
      InChild(FileFigures::kCount, [&] { return MakeFile(size, path); });
  const double bytes = file[FileFigures::kBytes];
  if (bytes == 0) std::exit(1);
  printf("== %s: %s, %.0f MB, %.0f events, %.0f steps\n", size.name.c_str(),
         path.c_str(), bytes / 1e6, file[FileFigures::kEvents],
         file[FileFigures::kSteps]);
  loaders::LoadRequest request;
  request.files = {path};
  const auto load = [&](int threads) {
    return Medians(runs, LoadFigures::kCount,
                   [&] { return MeasureLoad(request, threads); });
  };
  const Figures alone = load(1);
  if (alone[LoadFigures::kExecutions] == 0) {
    printf("(it cannot be loaded)\n\n");
    return;
  }
  PrintLoad("1 thread", alone, file);
  PrintOthers(size, path, runs, bytes, alone[LoadFigures::kCpu]);
  const int threads = util::NumThreads(util::TaskOptions());
  if (threads > 1) PrintLoad("all threads", load(threads), file);
  const Figures op =
      Medians(runs, OpFigures::kCount, [&] { return MeasureOp(path); });
  printf("op     first %.2f ms, in another order %.2f ms, the same %.2f ms\n\n",
         1e3 * op[OpFigures::kFirst], 1e3 * op[OpFigures::kOtherOrder],
         1e3 * op[OpFigures::kSame]);
}

}  // namespace tfprof
