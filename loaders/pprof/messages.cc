#include "loaders/pprof/messages.h"

#include <string_view>

namespace tfprof::pprof {
namespace {

constexpr std::string_view kProfileMessages = R"(
Profile 1,3,5,11:Plain 2:Sample 4:Location 13:int 16:LabelSet
Sample 1,2:int 3:Plain 4:Breakdown
Breakdown 1,2,3:int
Location 4:Plain
LabelSet 2:Plain
Plain
)";

}  // namespace

const loaders::MessageCheck& ProfileMessages() {
  static const auto* const check = new loaders::MessageCheck(kProfileMessages);
  return *check;
}

}  // namespace tfprof::pprof
