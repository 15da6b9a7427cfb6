#include "bench/measure_load.h"

#include <malloc.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "loaders/core/load.h"

namespace tfprof {

Figures MeasureLoad(loaders::LoadRequest request, int threads) {
  request.work.threads = threads;
  const double wall = Seconds(), cpu = CpuSeconds();
  const double before = StatusBytes("RssAnon");
  const auto loaded = loaders::Load(request);
  const double end = Seconds(), cpu_end = CpuSeconds();
  if (!loaded.ok()) {
    fprintf(stderr, "%s\n", std::string(loaded.status().message()).c_str());
    return Figures(LoadFigures::kCount, 0.0);
  }
  double executions = 0, tables = 0, strings = 0;
  for (const auto& step : loaded->profile.steps()) {
    executions += static_cast<double>(step->num_executions());
  }
  for (const auto& [what, bytes] : loaded->profile.MemoryUse()) {
    tables += static_cast<double>(bytes);
    if (what == "strings") strings += static_cast<double>(bytes);
  }
  malloc_trim(0);
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return {end - wall,
          cpu_end - cpu,
          StatusBytes("RssAnon") - before,
          1024.0 * static_cast<double>(use.ru_maxrss),
          executions,
          tables,
          strings};
}

}  // namespace tfprof
