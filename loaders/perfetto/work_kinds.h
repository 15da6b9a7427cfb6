// Decides what a slice is, in the categories of Kineto.
//
// A file of tfprof has the kinds of lanes as categories. Typed work of a GPU
// has the name of its stage. Other traces have categories of their own; those
// of torch are Kineto's. In a trace without categories (torch 2.15), a slice
// with a device, a stream and a correlation is work, one with only a
// correlation is its launch, and one with the number of an operator is one.

#ifndef TFPROF_LOADERS_PERFETTO_WORK_KINDS_H_
#define TFPROF_LOADERS_PERFETTO_WORK_KINDS_H_

#include <string>
#include <string_view>

#include "loaders/perfetto/places.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

class WorkKinds {
 public:
  // Both must outlive this.
  WorkKinds(const TraceTables& tables, Places& places);

  // Returns the category of a slice. It is a constant, or a category of the
  // trace.
  std::string_view Of(const Slice& slice);

 private:
  std::string_view OfOwn(const Slice& slice);

  const TraceTables& tables_;
  Places& places_;
  bool has_categories_ = false;
};

// Files of tfprof name calls of Python "FILE:LINE:FUNCTION". Returns such a
// name in the form of torch, "FILE(LINE): FUNCTION", in `buffer`; other names
// are returned as they are.
std::string_view TorchFunctionName(std::string_view name, std::string& buffer);

// Returns whether a category is of work on a device.
bool IsDeviceWork(std::string_view category);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_WORK_KINDS_H_
