#include "loaders/pprof/messages.h"

#include <string_view>

namespace tfprof::pprof {
namespace {

constexpr std::string_view kProfileMessages = R"(
Profile 1,11:Pair 2:Sample 3:Mapping 4:Location 5:Function 6,12,14 -13:int
  -16:LabelSet
Pair 1,2
Sample 1,2:int 3:Label -4:Breakdown
Label 1,2,3,4
Breakdown 1,2,3:int
Mapping 1,5
Location 1,2,3 4:Pair
Function 1,2,3,4,5
LabelSet 2:Label
)";

}  // namespace

const loaders::MessageCheck& ProfileMessages() {
  static const auto* const check = new loaders::MessageCheck(kProfileMessages);
  return *check;
}

}  // namespace tfprof::pprof
