// CpuSamples: the samples of the CPU in an export of Nsight Systems, as the
// samples of a GpuTrace.
//
//   CpuSamples samples;
//   samples.Read(tables, names);                  // wants its strings
//   names.Read(…);
//   samples.Finish(names, graph, trace, log);
//
// A sample is the call stack of a thread that was running. Its frames have a
// function and, as their file, a module, because the export has no lines. The
// export does not say how much time lies between two samples either: it is the
// lower quartile of the times between two samples of a thread, so a thread that
// often waits does not make it longer. Times are nanoseconds. Use one thread.

#ifndef TFPROF_LOADERS_NSYS_CPU_SAMPLES_H_
#define TFPROF_LOADERS_NSYS_CPU_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/sqlite/string_ids.h"
#include "loaders/sqlite/tables.h"
#include "profile/profile.h"

namespace tfprof::nsys {

class CpuSamples {
 public:
  void Read(sqlite::Tables& tables, sqlite::StringIds& names);
  // Adds the samples to `trace` and their stacks to `graph`. What was left out
  // goes to the log, with the path of `tables`.
  void Finish(const sqlite::Tables& tables, const sqlite::StringIds& names,
              profile::GraphTables& graph, gpu_trace::GpuTrace& trace,
              loaders::ImportLog& log);

 private:
  struct Sample {
    int64_t id = 0;
    int64_t time = 0;
    int64_t thread = 0;  // as in the file
  };
  // A row of the call stacks.
  struct CallRow {
    int64_t sample = 0;
    int64_t depth = 0;  // 0: innermost
    uint32_t function = 0;
    uint32_t module = 0;
  };

  int64_t Period() const;

  std::vector<Sample> samples_;
  std::vector<CallRow> calls_;
  int64_t dropped_ = 0, not_running_ = 0;
};

}  // namespace tfprof::nsys

#endif  // TFPROF_LOADERS_NSYS_CPU_SAMPLES_H_
