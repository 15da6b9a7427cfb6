#include "loaders/xplane/planes/xspace.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "loaders/core/load_context.h"
#include "loaders/xplane/planes/fields.h"
#include "util/files/wire.h"

namespace tfprof::xplane {
namespace {

// If there are more kinds of events, the rest stays without names.
constexpr size_t kMostNamed = 1 << 16;

// Damage is found again when the events are read.
XLine ReadLineHeader(std::string_view bytes) {
  XLine line;
  line.bytes = bytes;
  std::string_view display_name;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at < end) {
    // Almost all fields are events of less than 128 bytes.
    if (static_cast<unsigned char>(*at) == xline_field::kEvent &&
        end - at >= 2 && static_cast<signed char>(at[1]) >= 0 &&
        at[1] <= end - at - 2) {
      ++line.num_events;
      at += 2 + at[1];
      continue;
    }
    util::WireReader r({at, static_cast<size_t>(end - at)});
    if (!r.Next()) break;
    at += r.good_bytes();
    switch (r.tag()) {
      case xline_field::kId:
        line.id = r.int64();
        break;
      case xline_field::kName:
        line.name = r.view();
        break;
      case xline_field::kDisplayName:
        display_name = r.view();
        break;
      case xline_field::kTimestampNs:
        line.timestamp_ns = r.int64();
        break;
      case xline_field::kEvent:
        ++line.num_events;
        break;
    }
  }
  if (!display_name.empty()) line.name = display_name;
  return line;
}

class XSpaceReader {
 public:
  XSpaceReader(const loaders::InputFile& file, loaders::ImportLog& log)
      : file_(file), log_(log) {}

  XSpace Read() {
    util::WireReader r(file_.bytes());
    XSpace space;
    const auto field = [&](uint32_t tag, std::string_view view) {
      switch (tag) {
        case xspace_field::kPlane:
          space.planes.push_back(ReadPlane(view, space.made_names));
          break;
        case xspace_field::kError:
          space.errors.push_back(view);
          break;
        case xspace_field::kWarning:
          space.warnings.push_back(view);
          break;
        case xspace_field::kHostname:
          space.hostnames.push_back(view);
          break;
      }
    };
    while (r.Next()) field(r.tag(), r.view());
    if (r.damaged()) {
      space.cut = cut_ = !r.rest().empty();
      if (cut_) {
        log_.Add(
            loaders::ImportLog::kDamage, "XSpace cut short",
            fmt::format("{}: {}: XSpace cut short; what the file has of it "
                        "is kept",
                        file_.path(), r.Describe(0)));
        field(r.tag(), r.rest());
      } else {
        loaders::LogDamage(file_, r, file_.bytes(), "XSpace", /*kept=*/true,
                           log_);
      }
    }
    return space;
  }

 private:
  // Damage inside the end of a truncated file needs no second message.
  void Report(const util::WireReader& r, std::string_view message,
              std::string_view what) {
    if (r.damaged() && !(cut_ && EndsFile(message))) {
      loaders::LogDamage(file_, r, message, what, /*kept=*/true, log_);
    }
  }
  bool EndsFile(std::string_view part) const {
    return part.data() + part.size() ==
           file_.bytes().data() + file_.bytes().size();
  }

  // Stats of planes and metadata are only decoded when they are needed.
  void CheckStat(std::string_view bytes) { CheckMessage(bytes, "XStat"); }
  void CheckMessage(std::string_view bytes, std::string_view what) {
    util::WireReader r(bytes);
    while (r.Next()) {
    }
    Report(r, bytes, what);
  }

  // Names the events of a plane whose table is cut off.
  void NameEvents(XPlane& plane, std::vector<int64_t>& ids,
                  std::deque<std::string>& names) {
    absl::flat_hash_set<int64_t> known(ids.begin(), ids.end());
    for (const XLine& line : plane.lines) {
      util::WireReader r(line.bytes);
      while (r.Next()) {
        if (r.tag() != xline_field::kEvent) continue;
        int64_t id = 0;
        util::WireReader event(r.view());
        while (event.Next()) {
          if (event.tag() == xevent_field::kMetadataId) id = event.int64();
        }
        if (ids.size() == kMostNamed || !known.insert(id).second) continue;
        names.push_back(fmt::format("event {} (its name is cut off)", id));
        ids.push_back(id);
        plane.events.emplace_back();
        plane.events.back().id = id;
        plane.events.back().name = names.back();
      }
    }
  }

  XPlane ReadPlane(std::string_view bytes, std::deque<std::string>& names) {
    XPlane plane;
    std::vector<int64_t> event_ids, stat_ids;
    util::WireReader r(bytes);
    const auto field = [&](std::string_view view) {
      switch (r.tag()) {
        case xplane_field::kName:
          plane.name = view;
          break;
        case xplane_field::kLine: {
          plane.lines.push_back(ReadLineHeader(view));
          // A line with events is checked when its events are read.
          if (plane.lines.back().num_events == 0) CheckMessage(view, "XLine");
          break;
        }
        case xplane_field::kStat:
          plane.stats.push_back(view);
          CheckStat(view);
          break;
        case xplane_field::kEventMetadata: {
          EventMetadata metadata = ReadEventMetadata(view);
          event_ids.push_back(metadata.id);
          plane.events.push_back(std::move(metadata));
          break;
        }
        case xplane_field::kStatMetadata: {
          const auto [id, name] = ReadStatMetadata(view);
          stat_ids.push_back(id);
          plane.stat_table.names.push_back(name);
          plane.stat_table.roles.push_back(RoleOfStat(name));
          break;
        }
      }
    };
    while (r.Next()) {
      if (r.tag() == xplane_field::kId) {
        plane.id = r.int64();
      } else if (r.is_length()) {
        field(r.view());
      }
    }
    if (r.damaged()) {
      Report(r, bytes, "XPlane");
      if (!r.rest().empty()) field(r.rest());
    }
    if (cut_) NameEvents(plane, event_ids, names);
    plane.event_ids = IdTable(event_ids);
    plane.stat_table.ids = IdTable(stat_ids);
    return plane;
  }

  EventMetadata ReadEventMetadata(std::string_view bytes) {
    EventMetadata metadata;
    util::WireReader entry(bytes);
    while (entry.Next()) {
      if (entry.tag() == map_field::kKey) metadata.id = entry.int64();
      if (entry.tag() != map_field::kValue) continue;
      util::WireReader r(entry.view());
      while (r.Next()) {
        switch (r.tag()) {
          case xmetadata_field::kName:
            metadata.name = r.view();
            break;
          case xmetadata_field::kDisplayName:
            metadata.display_name = r.view();
            break;
          case xmetadata_field::kStat:
            metadata.stats.push_back(r.view());
            CheckStat(r.view());
            break;
        }
      }
      Report(r, entry.view(), "XEventMetadata");
    }
    Report(entry, bytes, "entry of event_metadata");
    return metadata;
  }

  std::pair<int64_t, std::string_view> ReadStatMetadata(
      std::string_view bytes) {
    int64_t id = 0;
    std::string_view name;
    util::WireReader entry(bytes);
    while (entry.Next()) {
      if (entry.tag() == map_field::kKey) id = entry.int64();
      if (entry.tag() != map_field::kValue) continue;
      util::WireReader r(entry.view());
      while (r.Next()) {
        if (r.tag() == xmetadata_field::kName) name = r.view();
      }
      Report(r, entry.view(), "XStatMetadata");
    }
    Report(entry, bytes, "entry of stat_metadata");
    return {id, name};
  }

  const loaders::InputFile& file_;
  loaders::ImportLog& log_;
  bool cut_ = false;
};

}  // namespace

XSpace ReadXSpace(const loaders::InputFile& file, loaders::ImportLog& log) {
  return XSpaceReader(file, log).Read();
}

}  // namespace tfprof::xplane
