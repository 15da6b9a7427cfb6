// TraceReport: numbers of a trace that belong to no table of a profile, such as
// what its tracer dropped, how well clocks are known, and which rule tied
// kernels to ops. `status` shows them.
//
// Plain tables; a loader that has such numbers fills them. The answers of
// scripts are not kept: each is made when it is asked for, of the files.

#ifndef TFPROF_LOADERS_TRACE_REPORT_H_
#define TFPROF_LOADERS_TRACE_REPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/profile.h"

namespace tfprof {

struct TraceReport {
  using Value = std::variant<int64_t, std::string>;
  struct Column {
    std::string name;  // for programs: "total_ns"
    bool is_text = false;
  };
  struct Table {
    std::string name;   // for programs: "trace_ops"
    std::string title;  // for people: "Ops of the trace"
    std::vector<Column> columns;
    std::vector<std::vector<Value>> rows;  // as wide as the columns
  };
  // In the order in which they are shown.
  std::vector<Table> tables;

  // The answer of a script that people had for such traces, as its file.
  struct Script {
    std::string name;  // of the output: "trace_analysis"
    // Reads the trace again. An error if it has changed since `profile` was
    // loaded from it, or lacks what the answer is made of.
    std::function<absl::StatusOr<std::string>(const Profile& profile)> answer;
  };
  std::vector<Script> scripts;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TRACE_REPORT_H_
