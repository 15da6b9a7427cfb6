#include "loaders/xplane/messages.h"

#include <string_view>

namespace tfprof::xplane {
namespace {

constexpr std::string_view kXSpace = R"(
XSpace 1:XPlane 2,3,4
XPlane 1,2 ?3:XLine 4:EventEntry 5:StatEntry 6:Stat
XLine 1,2,3,11 4:XEvent -9,10
XEvent 1,2,3,5 4:Stat
EventEntry 1 2:EventMetadata
EventMetadata 2,4 5:Stat -1,3 -6:int
StatEntry 1 2:StatMetadata
StatMetadata 2 -1,3
Stat 1,2,3,4,5,7,8 ?6
)";

constexpr std::string_view kHlo = R"(
Hlo 1:Module 3:Buffers
Module 1,5,6 3:Computation 17:Frames -4:Program -7:Schedule -8:Aliases
  -10:Prefetch -12,14:Sharding -13:Plain -15:Devices -18:Donors -19:Attributes
Computation 1,5,6 2:Instruction -4:Program
Instruction 1,2,11,28,35 3:Shape 7:Metadata 36,37,38:int -29,57:Shape
  -8:Literal -14,20,32,34:int -15,21:Dimensions -16:Convolution
  -17,52,59,62,86:Plain -30:Dot -33,48:Gather -40,54,55:Sharding
  -49,51,61:List -68:Attributes -74:Aliasing -82:Statistics -87:DeviceList
  -88:Original -90:RaggedDot -91:Accuracy
Shape 2 3,6:int 4:Shape -5:Layout
Layout 1,9,13,14:int 6:List 10:Shape 17:Split
Split 2:int
Program 1,2:Shape
Metadata 1,2,3,4,15 -5:int -10:List
Literal 1:Shape 2,4,5,6,7,14:int 8,12:fixed32 9,18:fixed64 10:Literal
Sharding 2:Shape 3,4,8,9,10:int 5:Sharding 7:Metadata 14:NamedSharding
NamedSharding 1:NamedSharding 2:Mesh 3:MeshAxes 4,5:AxisRef 6:Metadata
Mesh 1:Plain 2:int
MeshAxes 1:AxisRef
AxisRef 2:Plain
Dimensions 1:Plain
Convolution 6,11,12:int
Dot 1,2,3,4:int
RaggedDot 1:Dot 2,3:int
Gather 1,2,3,5,6:int
Aliasing 1,3:int
Statistics 2:Plain
DeviceList 1:List 2:Iota
Iota 3,4:int
Original 1:List
Accuracy 2:Plain
Attributes 1:Plain
Schedule 1:ScheduleEntry
ScheduleEntry 2:List
Aliases 1:Aliasing
Donors 1:Donor
Donor 2:int
Prefetch 2:int
Devices 3:List
Frames 1,2 3:FileLocation 4:Frame
FileLocation 1,2,3
Frame 1,2
Buffers 1:Buffer -2:BufferAlias -3:Allocation -4:HeapTrace
Buffer 2 3:Location
Location 2,4 -3:int
BufferAlias 2:Location
Allocation 9:Plain 10:int
HeapTrace 1:Plain
List 1:int
Plain
)";

}  // namespace

const loaders::MessageCheck& XSpaceMessages() {
  static const auto* const check = new loaders::MessageCheck(kXSpace);
  return *check;
}

const loaders::MessageCheck& HloMessages() {
  static const auto* const check = new loaders::MessageCheck(kHlo);
  return *check;
}

}  // namespace tfprof::xplane
