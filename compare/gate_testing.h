// Runs the default gate on 200 injected regressions and 200 harmless reruns,
// for its test and for the benchmark.
//
// A run has 60 steps of six ops on four devices. Its noise is like that of real
// runs: each step and each op varies by a few percent, the run as a whole by
// one percent (clocks, placement), the first step is slower, and some runs have
// a few interrupted steps. Everything is derived from fixed seeds.

#ifndef TFPROF_COMPARE_GATE_TESTING_H_
#define TFPROF_COMPARE_GATE_TESTING_H_

#include <map>
#include <string>

namespace tfprof::compare {

inline constexpr int kGateRuns = 200;

// Which programs are compared.
enum class GateFamily {
  kSteady,       // all steps do the same; regressions of all kinds
  kCheckpoints,  // every tenth step also saves; regressions of some steps
};

struct GateCounts {
  struct Kind {
    int found = 0;
    int all = 0;
  };
  std::map<std::string, Kind> kinds;  // of regressions
  int found = 0;                      // of kGateRuns regressions
  int alarms = 0;                     // of kGateRuns reruns
};

// Runs all comparisons, which takes some seconds.
GateCounts TryGate(GateFamily family);

// One line for each kind, and the sums.
std::string GateTable(const GateCounts& counts);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_GATE_TESTING_H_
