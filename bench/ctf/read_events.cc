// Reads the events of a CTF trace in the order of their times, decodes all of
// their fields, and prints the number of events and the time:
//
//   read_events FOLDER    →  "EVENTS SECONDS"
//
// It does the same work as babeltrace_reader.c and does not interpret events.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "fmt/format.h"
#include "loaders/core/import_log.h"
#include "loaders/ctf/packets/event_stream.h"
#include "loaders/ctf/packets/trace_files.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  if (argc != 2) {
    fmt::print(stderr, "usage: read_events FOLDER\n");
    return 2;
  }
  const Clock::time_point begin = Clock::now();
  tfprof::loaders::ImportLog log;
  const auto files =
      tfprof::ctf::TraceFiles::Open({std::string(argv[1]) + "/metadata"}, log);
  if (!files.ok()) {
    fmt::print(stderr, "read_events: {}\n", files.status().ToString());
    return 1;
  }
  tfprof::ctf::EventStream stream(*files, log);
  uint64_t events = 0;
  while (stream.Next()) events += stream.event().plan != nullptr;
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  fmt::print("{} {:.6f}\n", events, seconds.count());
  return 0;
}
