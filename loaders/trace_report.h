// TraceReport: numbers of a trace that belong to no table of a profile, such as
// what its tracer dropped, how well clocks are known, and which rule tied
// kernels to ops. `status` shows them.
//
// Plain tables; a loader that has such numbers fills them.

#ifndef TFPROF_LOADERS_TRACE_REPORT_H_
#define TFPROF_LOADERS_TRACE_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TRACE_REPORT_H_
