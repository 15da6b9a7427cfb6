// Reads details of nodes and executions of a saved trace that are not in the
// columns, on demand. Shares the file, whose bytes it views.

#ifndef TFPROF_LOADERS_SAVED_TRACE_DETAILS_H_
#define TFPROF_LOADERS_SAVED_TRACE_DETAILS_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/core/input_file.h"
#include "profile/details.h"

namespace tfprof::saved_trace {

// Offsets refer to the fields kNodeDetail and kRecord.
class SavedTraceDetails : public profile::DetailReader {
 public:
  SavedTraceDetails(std::shared_ptr<const loaders::InputFile> file,
                    std::vector<std::string_view> strings)
      : file_(std::move(file)), strings_(std::move(strings)) {}

  profile::AttributeList Attributes(uint64_t offset) const override;
  std::vector<std::string_view> Inputs(uint64_t offset) const override;
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  profile::RecordText Text(uint64_t offset) const override;
  profile::Transfer TransferOf(uint64_t offset) const override;
  profile::ArgumentList Arguments(uint64_t offset) const override;
  bool record_is_group() const override { return false; }

 private:
  // Returns the message of the field at an offset; "" for another field.
  std::string_view Message(uint64_t offset, uint32_t field) const;
  // Returns the string of an id; "" if there is none.
  std::string_view String(int64_t id) const {
    return id >= 0 && static_cast<uint64_t>(id) < strings_.size()
               ? strings_[static_cast<size_t>(id)]
               : std::string_view();
  }

  const std::shared_ptr<const loaders::InputFile> file_;
  const std::vector<std::string_view> strings_;
};

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_DETAILS_H_
