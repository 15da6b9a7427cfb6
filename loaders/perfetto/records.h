// Records: the events of a trace that became executions, to be decoded on
// demand.
//
// The record of an execution is the number of its slice, from 1 on. Immutable;
// shares the bytes of the trace.

#ifndef TFPROF_LOADERS_PERFETTO_RECORDS_H_
#define TFPROF_LOADERS_PERFETTO_RECORDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/chrome_json/event_details.h"
#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

// Appends the arguments of an event as members of a JSON object that is open.
// `log` may be nullptr. With `only_facts`, annotations that are no facts of a
// Kineto trace are left out.
void AppendArguments(const Record& record, const TraceState& state,
                     bool only_facts, PacketLog* log, std::string& json);

// Returns the content of a JSON string for `name`: itself, or in `buffer`.
std::string_view JsonContent(std::string_view name, std::string& buffer);

class RecordDetails : public chrome_json::EventDetails {
 public:
  RecordDetails(std::shared_ptr<const TraceState> state,
                std::shared_ptr<const std::vector<Record>> records)
      : state_(std::move(state)), records_(std::move(records)) {}

 private:
  bool ReadEvent(uint64_t offset, std::string& buffer,
                 chrome_json::TraceEvent& event) const override;

  std::shared_ptr<const TraceState> state_;
  std::shared_ptr<const std::vector<Record>> records_;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_RECORDS_H_
