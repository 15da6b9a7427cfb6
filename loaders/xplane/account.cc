#include "loaders/xplane/account.h"

#include <string_view>

#include "loaders/core/import_log.h"
#include "loaders/core/message_check.h"
#include "loaders/xplane/messages.h"
#include "loaders/xplane/planes/device_planes.h"
#include "loaders/xplane/planes/xspace.h"

namespace tfprof::xplane {

loaders::ByteAccount AccountXPlane(const loaders::InputFile& file,
                                   const util::Cancellation* cancellation) {
  loaders::ImportLog log;  // the load has said it all
  const XSpace space = ReadXSpace(file, log);
  loaders::MessageCheck::SpecialFields special;
  for (const XPlane& plane : space.planes) {
    const PlaneKind kind = KindOfPlane(plane.name);
    for (const XLine& line : plane.lines) {
      if (UseOfLine(kind, line.name) == LineUse::kDerived) {
        special[line.bytes.data()].is_used = false;
      }
    }
    for (const EventMetadata& metadata : plane.events) {
      plane.VisitStats(metadata.stats,
                       [&](std::string_view name, const PlaneStat& stat) {
                         if (IsProgram(name, stat)) {
                           special[stat.text.data()].message = &HloMessages();
                         }
                       });
    }
  }
  return XSpaceMessages().Account(file.bytes(), cancellation, special);
}

}  // namespace tfprof::xplane
