// Writes a trace of any size (traces.h) and prints its exact totals as JSON.
//
//   make_trace kineto|tpu|gpu MEGABYTES FILE [--layers=N] [--devices=N]
//
// MEGABYTES is the minimum size, in units of 10^6 bytes; 0 means one step. With
// FILE "-" nothing is written.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bench/traces.h"
#include "util/files/sink.h"

namespace tfprof {
namespace {

constexpr int64_t kMegabyte = 1000000;

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Parses "--NAME=NUMBER"; the number must be at least 1.
bool SetFlag(std::string_view argument, std::string_view name, int64_t& value) {
  if (!argument.starts_with(name)) return false;
  const std::optional<int64_t> number = Number(argument.substr(name.size()));
  if (!number || *number < 1) return false;
  value = *number;
  return true;
}

int Run(int argc, char** argv) {
  const std::optional<TraceKind> kind =
      argc > 3 ? TraceKindOf(argv[1]) : std::nullopt;
  const std::optional<int64_t> megabytes =
      argc > 3 ? Number(argv[2]) : std::nullopt;
  TraceShape shape;
  bool good = kind && megabytes && *megabytes >= 0;
  for (int i = 4; i < argc; ++i) {
    good &= SetFlag(argv[i], "--layers=", shape.layers) ||
            SetFlag(argv[i], "--devices=", shape.devices);
  }
  if (!good) {
    fputs(
        "usage: make_trace kineto|tpu|gpu MEGABYTES FILE [--layers=N] "
        "[--devices=N]\n",
        stderr);
    return 2;
  }
  shape.kind = *kind;
  shape = ShapeForBytes(shape, *megabytes * kMegabyte);
  TraceTotals totals;
  absl::Status status;
  if (std::string_view(argv[3]) == "-") {
    util::NullSink sink;
    totals = WriteTrace(shape, sink);
  } else {
    status = util::WriteFile(argv[3], [&](util::Sink& sink) {
      totals = WriteTrace(shape, sink);
      return absl::OkStatus();
    });
  }
  if (!status.ok()) {
    fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  fputs(TotalsJson(totals).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace tfprof

int main(int argc, char** argv) { return tfprof::Run(argc, argv); }
