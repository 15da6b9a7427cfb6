#include "timeline/ranks/collective_call.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "util/arithmetic.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::timeline {
namespace {

// The size of an element of a type as PyTorch writes it; 0: unknown.
int64_t ElementBytes(std::string_view type) {
  const std::string lower = util::LowerCase(type);
  for (const auto& [part, bytes] :
       {std::pair("double", 8), std::pair("long", 8), std::pair("float64", 8),
        std::pair("int64", 8), std::pair("float8", 1), std::pair("bfloat16", 2),
        std::pair("half", 2), std::pair("float16", 2), std::pair("int16", 2),
        std::pair("float", 4), std::pair("int32", 4), std::pair("int8", 1),
        std::pair("int", 4), std::pair("byte", 1), std::pair("char", 1),
        std::pair("bool", 1)}) {
    if (lower.find(part) != lower.npos) return bytes;
  }
  return 0;
}

}  // namespace

CollectiveCall CallOf(const Activities& activities, const DeviceRun& run) {
  CollectiveCall call;
  int64_t elements = 0, width = 0;
  std::optional<int64_t> bytes;
  for (auto& [key, value] :
       activities.profile().Arguments(activities.RecordOf(run))) {
    if (key == "bytes_accessed" || key == "bytes") {
      if (!bytes) bytes = util::ParseDecimal(value).value_or(-1);
    } else if (key == "In msg nelems" || key == "Out msg nelems") {
      elements = std::max(elements, util::ParseDecimal(value).value_or(0));
    } else if (key == "dtype") {
      width = ElementBytes(value);
    } else if (key == "Process Group Name") {
      call.communicator = std::move(value);
    } else if (key == "Collective name") {
      call.kind = std::move(value);
    } else if (key == "Src Rank" || key == "Dst Rank") {
      call.peer = util::ParseDecimal(value).value_or(-1);
    } else if (key == "Seq") {
      call.sequence = util::ParseDecimal(value).value_or(-1);
    }
  }
  if (bytes) {
    call.bytes = *bytes;
  } else if (elements > 0 && width > 0) {
    call.bytes = util::SaturatingMul(elements, width);
  } else {
    call.bytes = activities.TransferOf(run).bytes;
  }
  return call;
}

bool IsPeerTransfer(const Activities& activities, const DeviceRun& run) {
  return run.kind == RunKind::kCommunication && run.length() > 0 &&
         activities.Name(run).find("SendRecv") != std::string_view::npos;
}

}  // namespace tfprof::timeline
