// WorkDetails: the recorded names of the events of a GpuTrace, and the bytes of
// its copies. The record of a host event is its number; the record of work is
// its number after all host events, that of a sample its number after all work.
// Owns its data; immutable.

#ifndef TFPROF_LOADERS_GPU_TRACE_WORK_DETAILS_H_
#define TFPROF_LOADERS_GPU_TRACE_WORK_DETAILS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/gpu_trace/text_list.h"
#include "profile/details.h"

namespace tfprof::gpu_trace {

class WorkDetails : public profile::DetailReader {
 public:
  // Takes the texts of the trace.
  WorkDetails(GpuTrace& trace, const profile::StringPool& strings);

  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  profile::RecordText Text(uint64_t offset) const override;
  profile::Transfer TransferOf(uint64_t offset) const override;
  bool record_is_group() const override { return false; }

 private:
  TextList texts_;
  std::vector<uint32_t> text_;  // by record, in texts_
  size_t num_host_ = 0;
  std::vector<int64_t> bytes_;  // by number of the work
  std::vector<profile::CopyKind> copies_;
  std::vector<std::pair<MemoryKind, MemoryKind>> memory_;  // from, to
};

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_WORK_DETAILS_H_
