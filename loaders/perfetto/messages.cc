#include "loaders/perfetto/messages.h"

#include <string_view>

namespace tfprof::perfetto {
namespace {

// Plain has no messages and no packed numbers. Most numbers of a packet may be
// repeated without being packed, and then they are fields of their own.
constexpr std::string_view kTrace = R"(
Trace 1:Packet
Packet 2:ProcessTree 6:Clocks 11:TrackEvent 12:Interned 35:Stats 43,44:Plain
  52:GpuCounters 53:GpuStage 59:Defaults 60:Track
ProcessTree 1,2:Plain
Clocks 1:Plain
TrackEvent 4:Annotation 5,6,21,33:Plain 3,12,31,36,42,45:int
  46,47,48:fixed64
Annotation 8:Nested 11,12:Annotation
Nested 3,4:Nested
Interned 1,2,3,4,5,6,16,17,18,20,22,23,24,25,26,27,28,29,43:Plain 7:Callstack
  19:Mapping
Callstack 2:int
Mapping 7:int
Stats 1,18:Plain
GpuCounters 1:CounterNames 2:Plain
CounterNames 1,2,6:Plain
GpuStage 6:Plain 7:GpuNames
GpuNames 1,2,3:Plain
Defaults 11:EventDefaults
EventDefaults 31,45:int
Track 3,4,6,7,8:Plain
Plain
)";

}  // namespace

const loaders::MessageCheck& TraceMessages() {
  static const auto* const check = new loaders::MessageCheck(kTrace);
  return *check;
}

}  // namespace tfprof::perfetto
