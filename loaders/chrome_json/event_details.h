// EventDetails: decodes the details of executions in a Chrome trace on demand.
// The record of an execution is the offset of its event in the file. Returned
// views live as long as the EventDetails, which shares the file.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/event_scanner.h"
#include "loaders/core/input_file.h"
#include "profile/details.h"

namespace tfprof::chrome_json {

// Reads the event at `offset` of a file. Returns false if there is none.
bool ReadTraceEvent(std::string_view text, uint64_t offset, TraceEvent& event);

// Returns the arguments of an event. Scalars are without quotes and escapes;
// lists and objects stay as the file writes them.
profile::ArgumentList ReadArguments(const TraceEvent& event);

class EventDetails : public profile::DetailReader {
 public:
  explicit EventDetails(std::shared_ptr<const loaders::InputFile> file)
      : file_(std::move(file)) {}

  // For Kineto: "input_shapes", the list of shapes in "Input Dims".
  profile::AttributeList Attributes(uint64_t offset) const override;
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  profile::RecordText Text(uint64_t offset) const override;
  // For an event whose name begins with "Memcpy" or "Memset": read from its
  // name and its argument "bytes".
  profile::Transfer TransferOf(uint64_t offset) const override;
  profile::ArgumentList Arguments(uint64_t offset) const override;
  bool record_is_group() const override { return false; }

 protected:
  // For readers of records in another form.
  EventDetails() = default;
  // Reads the event of a record. A name without a backslash is valid as long
  // as this; other texts may be in `buffer`. Returns false if there is none.
  virtual bool ReadEvent(uint64_t offset, std::string& buffer,
                         TraceEvent& event) const;

 private:
  // Stores a string for the lifetime of this reader. The text for one offset is
  // always the same.
  std::string_view Keep(uint64_t offset, const std::string& text) const;

  std::shared_ptr<const loaders::InputFile> file_;  // or nullptr
  mutable std::mutex mutex_;
  mutable absl::flat_hash_map<uint64_t, std::unique_ptr<const std::string>>
      kept_;
};

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_
