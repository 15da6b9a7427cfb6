#include "loaders/perfetto/messages.h"

#include <string_view>

namespace tfprof::perfetto {
namespace {

// Plain has no messages and no packed numbers. Most numbers of a packet may be
// repeated without being packed, and then they are fields of their own.
constexpr std::string_view kTrace = R"(
Trace 1:Packet
Packet 2:ProcessTree 6:Clocks 8,10,13,41,42,58 11:TrackEvent 12:Interned
  35:Stats 43:Process -44:Plain 50 52:GpuCounters 53:GpuStage 59:Defaults
  60:Track 9900,9901
ProcessTree 1:TreeProcess -2:Plain
TreeProcess 1,3
Process 1,6
Clocks 1:Clock 2
Clock 1,2,3,4
TrackEvent 3:int 4:Annotation 6:Legacy 9,10,11,22,23,30,44,3000
  12,31,36,42,45:int 46,47,48:fixed64 -5,21,33:Plain
Legacy 1,2,3,4,6,7,8,9,10,11,12,13,14,15,18,19
Annotation 1,2,3,4,5,6,7,9,10,13,14,16,17 8:Nested 11,12:Annotation
Nested 1,2,5,6,7,8 3,4:Nested
Interned 1,2,3,24,29,1000:Text -7:Callstack -19:Mapping
  -4,5,6,16,17,18,20,22,23,25,26,27,28,43:Plain
Text 1,2
Callstack 2:int
Mapping 7:int
Stats 1:BufferStats 8,10 -18:Plain
BufferStats 3,18,19
GpuCounters 1:CounterNames 2:GpuCounter 3
CounterNames 1:GpuName -2,6:Plain
GpuName 1,2 7,8:int
GpuCounter 1,2,3
GpuStage 1,2,3,4,11,13,14,17,19,20 6:Text 7:GpuNames
GpuNames 2,3:Text -1:Plain
Defaults 11:EventDefaults 58
EventDefaults 11 31,45:int
Track 1,2,5,10 3:TrackProcess 4:TrackThread 8:TrackCounter -6,7:Plain
TrackProcess 1,6
TrackThread 1,2,5
TrackCounter 1,3,4,5,6
Plain
)";

}  // namespace

const loaders::MessageCheck& TraceMessages() {
  static const auto* const check = new loaders::MessageCheck(kTrace);
  return *check;
}

}  // namespace tfprof::perfetto
