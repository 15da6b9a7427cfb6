// Generates inputs of any size from a real profile.
//
// The bundled ResNet (3417 nodes, one CPU step) is repeated as towers: tower 7
// is the same graph under "tower_7/", on GPU 7 mod 8, with stream records for
// every operation that took at least 1 µs, like a real GPU profile. Shapes,
// attributes, memory records and call stacks come from the real profile (call
// stacks are shared, like the layers of one program). Times differ from tower
// to tower and step to step. Equal arguments give equal bytes.

#ifndef TFPROF_BENCH_GENERATE_H_
#define TFPROF_BENCH_GENERATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tfprof {

struct GeneratedSize {
  std::string name;   // of the folder
  int64_t nodes = 0;  // at least
  int64_t files = 1;  // run metadata files
  // Passes over the nodes within one file, like the iterations of a loop.
  int64_t repeats = 1;
};

struct GeneratedInputs {
  std::string graph;
  std::string op_log;
  std::vector<std::string> run_metas;
};

// The paths of the generated files of a size in `folder`.
GeneratedInputs GeneratedPaths(const std::string& folder,
                               const GeneratedSize& size);

// Writes the inputs that do not exist yet. `source` is the folder of the real
// profile (graph.pb.gz or graph.pb, and so on). Errors: NotFound if a file of
// `source` cannot be read, InvalidArgument if its graph has no nodes, and
// errors of writing.
absl::Status Generate(const std::string& source, const std::string& folder,
                      const GeneratedSize& size);

}  // namespace tfprof

#endif  // TFPROF_BENCH_GENERATE_H_
