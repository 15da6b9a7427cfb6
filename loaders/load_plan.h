// Which files a load reads, as what, and in which order.
//
// Files without a flag are known by their content, of a directory the ones that
// say most: load.h has the rules.

#ifndef TFPROF_LOADERS_LOAD_PLAN_H_
#define TFPROF_LOADERS_LOAD_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/import_log.h"
#include "loaders/inputs.h"
#include "loaders/load.h"

namespace tfprof {

struct LoadPlan {
  struct StepFile {
    std::string path;
    std::optional<int64_t> step;  // nullopt: by position
  };

  std::vector<std::string> profiles, graphs, op_logs;
  std::vector<StepFile> run_metas;
  std::string checkpoint;
};

// Opens the files whose content decides. The log says which of a directory are
// not read. Errors: a file that cannot be opened or is of no known kind, a
// directory without any.
absl::StatusOr<LoadPlan> PlanLoad(const LoadRequest& request, Inputs& inputs,
                                  ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_PLAN_H_
