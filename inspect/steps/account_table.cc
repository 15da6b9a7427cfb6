#include "inspect/steps/account_table.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/devices/device_labels.h"
#include "inspect/time_cells.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"
#include "util/text/kernel_names.h"
#include "util/text/percent.h"

namespace tfprof::inspect {
namespace {

std::vector<std::string> LabelsOf(views::Views& views,
                                  const timeline::StepAccount& account) {
  std::vector<uint32_t> units;
  for (const timeline::DeviceAccount& device : account.devices) {
    units.push_back(device.unit);
  }
  return DeviceLabels(views.Kept<timeline::Activities>(), units);
}

// The time that a part of a device takes more than in the usual step.
int64_t More(const timeline::DeviceAccount& device, timeline::Part part,
             const timeline::StepAccount* usual) {
  if (usual == nullptr) return 0;
  const timeline::DeviceAccount* of = usual->Find(device.unit);
  return util::WrapSub(device[part].ticks,
                       of == nullptr ? 0 : (*of)[part].ticks);
}

}  // namespace

std::string DetailText(const timeline::PartTime& part,
                       int64_t ticks_per_micro) {
  constexpr size_t kShown = 3;
  constexpr int64_t kLeast = 20;  // the first is at most so many times larger
  std::string text;
  for (size_t i = 0; i < std::min(kShown, part.details.size()); ++i) {
    const timeline::PartDetail& detail = part.details[i];
    if (i > 0 && detail.ticks < part.details[0].ticks / kLeast) break;
    if (!text.empty()) text += ", ";
    text +=
        fmt::format("{} {}",
                    detail.name.empty() ? "nothing that was recorded"
                                        : util::ShortKernelName(detail.name),
                    tables::FormatTime(detail.ticks, ticks_per_micro));
  }
  return text;
}

tables::DataTable AccountTable(views::Views& views,
                               const timeline::StepAccount& account,
                               const timeline::StepAccount* usual) {
  const int64_t ticks_per_micro = views.profile().ticks_per_micro();
  tables::TableBuilder table(
      "account", {{"device", "device"},
                  {.name = "cause", .title = "cause", .data_only = true},
                  {.name = "kind", .title = "kind", .data_only = true},
                  {"part", "part"},
                  {"micros", "time", util::Unit::kMicros, /*heat=*/true},
                  {"wall_share", "of wall", util::Unit::kShare},
                  {.name = "more_micros",
                   .title = "more",
                   .unit = util::Unit::kMicros,
                   .rank = 1,
                   .delta = true},
                  {.name = "most", .title = "most of it", .prose = true}});
  const std::vector<std::string> labels = LabelsOf(views, account);
  for (size_t d = 0; d < account.devices.size(); ++d) {
    const timeline::DeviceAccount& device = account.devices[d];
    std::vector<const timeline::PartInfo*> parts;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      if (device[info.part].ticks != 0 || More(device, info.part, usual) != 0) {
        parts.push_back(&info);
      }
    }
    std::stable_sort(
        parts.begin(), parts.end(), [&](const auto* a, const auto* b) {
          const auto key = [&](timeline::Part part) {
            return std::pair(More(device, part, usual), device[part].ticks);
          };
          return key(a->part) > key(b->part);
        });
    for (const timeline::PartInfo* info : parts) {
      const timeline::PartTime& part = device[info->part];
      const std::string most = DetailText(part, ticks_per_micro);
      table.AddRow(
          {tables::TextCell(labels[d]), tables::TextCell(info->id),
           tables::TextCell(timeline::PartKindName(info->kind)),
           tables::TextCell(info->title),
           TicksCell(part.ticks, ticks_per_micro),
           tables::ShareCell(part.ticks, device.wall),
           TicksCell(More(device, info->part, usual), ticks_per_micro,
                     usual != nullptr),
           most.empty() ? tables::DataCell() : tables::TextCell(most)});
    }
  }
  return std::move(table).Build();
}

std::optional<Avoidable> LargestAvoidable(const timeline::StepAccount& account,
                                          const timeline::StepAccount* usual) {
  constexpr int64_t kLeastPart = 100;
  std::optional<Avoidable> largest;
  for (const timeline::DeviceAccount& device : account.devices) {
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      if (info.kind == timeline::PartKind::kCompute && usual == nullptr) {
        continue;
      }
      // A server waits for requests.
      if (device.serves_parameters &&
          info.part == timeline::Part::kNotRecorded) {
        continue;
      }
      const Avoidable found = {.part = info.part,
                               .unit = device.unit,
                               .ticks = device[info.part].ticks,
                               .more = More(device, info.part, usual)};
      const auto key = [&](const Avoidable& of) {
        return usual == nullptr ? of.ticks : of.more;
      };
      if (key(found) <= device.wall / kLeastPart) continue;
      if (!largest || key(found) > key(*largest)) largest = found;
    }
  }
  return largest;
}

std::optional<Avoidable> LargestKnown(const timeline::StepAccount& account) {
  const std::optional<Avoidable> cause =
      LargestAvoidable(account, /*usual=*/nullptr);
  return cause && cause->part == timeline::Part::kNotRecorded ? std::nullopt
                                                              : cause;
}

std::string WorksSentence(views::Views& views,
                          const timeline::StepAccount& account) {
  constexpr int64_t kMatters = 10;  // a part matters from this fraction on
  constexpr size_t kShown = 4;
  const std::vector<std::string> labels = LabelsOf(views, account);
  const timeline::DeviceAccount* busiest = nullptr;
  std::string label;
  for (size_t d = 0; d < account.devices.size(); ++d) {
    const timeline::DeviceAccount& device = account.devices[d];
    if (!device.accelerator || device.wall <= 0) continue;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      if (info.kind != timeline::PartKind::kCompute &&
          device[info.part].ticks >= device.wall / kMatters) {
        return "";
      }
    }
    if (busiest != nullptr && device.Of(timeline::PartKind::kCompute) <=
                                  busiest->Of(timeline::PartKind::kCompute)) {
      continue;
    }
    busiest = &device;
    label = labels[d];
  }
  if (busiest == nullptr) return "";
  std::vector<const timeline::PartInfo*> work;
  for (const timeline::PartInfo& info : timeline::AllParts()) {
    if (info.kind == timeline::PartKind::kCompute) work.push_back(&info);
  }
  std::ranges::stable_sort(work, std::ranges::greater(), [&](const auto* info) {
    return (*busiest)[info->part].ticks;
  });
  std::string parts;
  for (const timeline::PartInfo* info : std::span(work).first(kShown)) {
    const int64_t ticks = (*busiest)[info->part].ticks;
    if (ticks <= 0) break;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", info->title,
                         util::Percent(ticks, busiest->wall));
  }
  const int64_t ticks_per_micro = views.profile().ticks_per_micro();
  const int64_t computes = busiest->Of(timeline::PartKind::kCompute);
  return fmt::format("{} computes for {} of its wall time ({} of {}): {}",
                     label, util::Percent(computes, busiest->wall),
                     tables::FormatTime(computes, ticks_per_micro),
                     tables::FormatTime(busiest->wall, ticks_per_micro), parts);
}

std::string CauseSentence(views::Views& views,
                          const timeline::StepAccount& account,
                          const Avoidable& cause) {
  const int64_t ticks_per_micro = views.profile().ticks_per_micro();
  const timeline::DeviceAccount& device = *account.Find(cause.unit);
  const std::vector<std::string> labels = LabelsOf(views, account);
  std::string label;
  for (size_t d = 0; d < account.devices.size(); ++d) {
    if (account.devices[d].unit == cause.unit) label = labels[d];
  }
  const timeline::PartInfo& info = timeline::InfoOf(cause.part);
  const std::string most = DetailText(device[cause.part], ticks_per_micro);
  return fmt::format(
      "{}: {} of its wall time {} {} ({} of {}){}{}", label,
      util::Percent(cause.ticks, device.wall),
      cause.part == timeline::Part::kNotRecorded ? "is" : "goes to", info.title,
      tables::FormatTime(cause.ticks, ticks_per_micro),
      tables::FormatTime(device.wall, ticks_per_micro),
      most.empty() ? "" : "; most of it ", most);
}

}  // namespace tfprof::inspect
