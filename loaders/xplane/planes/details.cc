#include "loaders/xplane/planes/details.h"

#include <algorithm>
#include <utility>

#include "loaders/nodes/copy_details.h"
#include "loaders/xplane/hlo/hlo_proto.h"
#include "loaders/xplane/planes/device_planes.h"
#include "loaders/xplane/planes/fields.h"
#include "util/files/wire.h"
#include "util/files/wire_writer.h"

namespace tfprof::xplane {
namespace {

// Fields of an AttrValue; see profile/attr_value.h.
constexpr uint32_t kText = 2;
constexpr uint32_t kNumber = 3;

}  // namespace

XPlaneDetails::XPlaneDetails(std::shared_ptr<const loaders::InputFile> file,
                             std::shared_ptr<const XSpace> space)
    : file_(std::move(file)), space_(std::move(space)) {
  for (const XPlane& plane : space_->planes) {
    for (const XLine& line : plane.lines) AddRegion(line.bytes, &plane);
  }
}

void XPlaneDetails::AddRegion(std::string_view bytes, const XPlane* plane) {
  const uint64_t begin = file_->OffsetOf(bytes);
  regions_.push_back({begin, begin + bytes.size(), plane});
}

void XPlaneDetails::AddProgram(std::string_view proto) {
  AddRegion(proto, nullptr);
}

void XPlaneDetails::Finish() {
  std::sort(regions_.begin(), regions_.end(),
            [](const Region& a, const Region& b) { return a.begin < b.begin; });
}

const XPlaneDetails::Region* XPlaneDetails::Find(uint64_t offset) const {
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), offset,
      [](uint64_t at, const Region& region) { return at < region.begin; });
  if (after == regions_.begin() || offset >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

std::string_view XPlaneDetails::FieldAt(uint64_t offset) const {
  util::WireReader r(file_->bytes().substr(offset));
  return r.Next() && r.is_length() ? r.view() : std::string_view();
}

XPlaneDetails::EventRecord XPlaneDetails::ReadEvent(uint64_t offset) const {
  const Region* region = Find(offset);
  if (region == nullptr || region->plane == nullptr) return {};
  EventRecord event = {FieldAt(offset), region->plane, nullptr};
  util::WireReader r(event.bytes);
  while (r.Next()) {
    if (r.tag() != xevent_field::kMetadataId) continue;
    const uint32_t number = region->plane->event_ids.Find(r.int64());
    if (number != profile::kNone)
      event.metadata = &region->plane->events[number];
  }
  return event;
}

template <typename Call>
void XPlaneDetails::VisitStats(const EventRecord& event, Call call) const {
  if (event.plane == nullptr) return;
  util::WireReader r(event.bytes);
  PlaneStat stat;
  while (r.Next()) {
    if (r.tag() != xevent_field::kStat || !ReadStat(r.view(), stat)) continue;
    call(event.plane->stat_table.NameOf(stat.metadata_id), stat);
  }
  if (event.metadata != nullptr) {
    event.plane->VisitStats(event.metadata->stats, call);
  }
}

profile::RecordText XPlaneDetails::Text(uint64_t offset) const {
  const EventRecord event = ReadEvent(offset);
  if (event.metadata == nullptr) return {};
  return {.name = event.metadata->name, .label = {}, .op = {}};
}

profile::ArgumentList XPlaneDetails::Arguments(uint64_t offset) const {
  const EventRecord event = ReadEvent(offset);
  profile::ArgumentList arguments;
  constexpr size_t kUsual = 16;  // more than most events have
  arguments.reserve(kUsual);
  VisitStats(event, [&](std::string_view name, const PlaneStat& stat) {
    arguments.emplace_back(name, StatText(stat, event.plane->stat_table));
  });
  return arguments;
}

profile::Transfer XPlaneDetails::TransferOf(uint64_t offset) const {
  const EventRecord event = ReadEvent(offset);
  if (event.metadata == nullptr) return {};
  profile::Transfer transfer;
  transfer.kind = CopyKindOf(event.metadata->name);
  VisitStats(event, [&](std::string_view name, const PlaneStat& stat) {
    const std::string_view text = event.plane->stat_table.TextOf(stat);
    if (name == "memcpy_details") {
      loaders::ReadCopyDetails(text, transfer);
    } else if (name == "edge_name") {
      transfer.tensor = text;
    } else if (name == "from") {
      transfer.from = text;
    } else if (name == "to") {
      transfer.to = text;
    }
  });
  return transfer;
}

profile::AttributeList XPlaneDetails::Attributes(uint64_t offset) const {
  const Region* region = Find(offset);
  if (region == nullptr || region->plane != nullptr) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, is_new] = attributes_.try_emplace(offset);
  if (!is_new) return it->second;
  HloInstruction instruction;
  ReadHloInstruction(FieldAt(offset), instruction);
  profile::AttributeList& attributes = it->second;
  util::WireWriter w;
  const auto add = [&](std::string_view key) {
    attributes.push_back({key, texts_.emplace_back(w.bytes())});
    w.Truncate(0);
  };
  const auto add_text = [&](std::string_view key, std::string_view text) {
    if (text.empty()) return;
    w.Bytes(kText, text);
    add(key);
  };
  add_text("shape", HloShapeText(instruction.shape));
  add_text("fusion_kind", instruction.fusion_kind);
  add_text("custom_call_target", instruction.custom_call_target);
  add_text("op_type", instruction.op_type);
  add_text("op_name", instruction.op_name);
  add_text("source_file", instruction.source_file);
  if (instruction.source_line != 0) {
    w.Int64(kNumber, instruction.source_line);
    add("source_line");
  }
  return it->second;
}

}  // namespace tfprof::xplane
