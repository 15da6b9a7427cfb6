// Measures how many nanoseconds an event costs the recorded program.
//
// Usage: record_bench [FOLDER]
//
// Writes into a new folder below FOLDER (default: $TMPDIR or /tmp) and removes
// it. The best of several rounds counts, because other programs use the
// processor too. The figures include writing packets to their file. One line
// shows the cost of reading the clock, which each event does once.

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "record/sink.h"
#include "record/tfprof_record.h"
#include "record/thread_stream.h"

namespace tfprof::record {
namespace {

constexpr int kRounds = 10;
constexpr int kEvents = 200000;

// The name and the device have the lengths that are usual in a training step.
constexpr char kName[] = "gradients/dense/MatMul_grad/MatMul";
constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// `call` does `per_call` operations; prints the time of one.
template <typename F>
void Measure(const char* what, int per_call, F call) {
  double wall = 1e9, processor = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double wall_begin = Seconds(CLOCK_MONOTONIC);
    const double begin = Seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kEvents; ++i) call();
    processor = std::min(processor, Seconds(CLOCK_THREAD_CPUTIME_ID) - begin);
    wall = std::min(wall, Seconds(CLOCK_MONOTONIC) - wall_begin);
  }
  const double scale = 1e9 / kEvents / per_call;
  printf("%-44s %7.1f ns  (processor %.1f)\n", what, wall * scale,
         processor * scale);
}

void Run(const std::string& folder) {
  Measure("C interface, not recorded: op", 1, [] {
    tfprof_op_begin(kName, "MatMul", kDevice, -1);
    tfprof_op_end();
  });
  Measure("source, not recorded: op", 1, [] {
    OpBegin(kName, "MatMul", kDevice);
    OpEnd();
  });
  Measure("reading the clock", 1, [] { Now(); });
  StartRecording(folder.c_str(), 0, 0);
  Measure("op event (a begin or an end)", 2, [] {
    OpBegin(kName, "MatMul", kDevice);
    OpEnd();
  });
  Measure("range event", 2, [] {
    RangeBegin("range");
    RangeEnd();
  });
  Measure("finished work of a device", 1, [] {
    DeviceWork({.name = "kernel",
                .device = "opencl:0",
                .operation = "ndrange",
                .start = 1,
                .end = 2});
  });
  Pause();
  Measure("source, paused: op", 1, [] {
    OpBegin(kName, "MatMul", kDevice);
    OpEnd();
  });
}

}  // namespace
}  // namespace tfprof::record

int main(int argc, char** argv) {
  const char* temporary = getenv("TMPDIR");
  std::string folder = argc > 1 ? argv[1] : temporary ? temporary : "/tmp";
  folder += "/record_bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    fprintf(stderr, "record_bench: no folder can be made in %s\n",
            folder.c_str());
    return 1;
  }
  tfprof::record::Run(folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
