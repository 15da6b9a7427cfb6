#include "exporters/page/account.h"

#include <algorithm>
#include <vector>

#include "inspect/steps/account_table.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"

namespace tfprof::exporters {
namespace {

// The page colours parts by their kind.
std::string_view KindOf(const timeline::PartInfo& info) {
  return info.part == timeline::Part::kNotRecorded
             ? "unknown"
             : timeline::PartKindName(info.kind);
}

}  // namespace

const profile::Step* TypicalOf(views::Views& views,
                               const PageOptions& options) {
  if (options.step >= 0) return views.profile().FindStep(options.step);
  const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  const timeline::StepWall* typical = timeline::TypicalStep(walls);
  return typical == nullptr ? nullptr : typical->step;
}

void AddAccount(views::Views& views, const PageOptions& options,
                const absl::flat_hash_map<uint32_t, uint32_t>& device_of_unit,
                Page& page) {
  const profile::Step* step = TypicalOf(views, options);
  if (step == nullptr || step->num_records() == 0) return;
  const int64_t per_micro = views.profile().ticks_per_micro();
  const int64_t scale = page.ticks_per_micro / per_micro;
  const timeline::StepAccount& account = timeline::AccountOf(views, *step);
  for (const timeline::DeviceAccount& of : account.devices) {
    const auto device = device_of_unit.find(of.unit);
    if (device == device_of_unit.end() || of.wall <= 0) continue;
    std::vector<PageAccountPart>& parts = page.devices[device->second].account;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      const timeline::PartTime& part = of[info.part];
      if (part.ticks <= 0) continue;
      parts.push_back({.name = std::string(info.title),
                       .kind = std::string(KindOf(info)),
                       .ticks = util::SaturatingMul(part.ticks, scale),
                       .most = inspect::DetailText(part, per_micro)});
    }
    std::ranges::stable_sort(parts, std::ranges::greater(),
                             &PageAccountPart::ticks);
    page.account_step = step->id;
  }
}

}  // namespace tfprof::exporters
