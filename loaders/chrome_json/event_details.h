// EventDetails: texts and arguments of trace events, decoded on demand.
//
// A record's offset is that of the '{' of its event (TraceEvent::offset). Names
// are as the file writes them; escapes in arguments are decoded.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "loaders/input_file.h"
#include "profile/details.h"

namespace tfprof {

// The members of an object in JSON, in their order. Values are text: strings
// without quotes and escapes, all others as they are.
ArgumentList ReadArguments(std::string_view object);

class EventDetails : public DetailReader {
 public:
  explicit EventDetails(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)) {}

  AttributeList Attributes(uint64_t) const override { return {}; }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  RecordText Text(uint64_t offset) const override;
  ArgumentList Arguments(uint64_t offset) const override;
  bool record_is_group() const override { return false; }

 private:
  std::shared_ptr<const InputFile> file_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_DETAILS_H_
