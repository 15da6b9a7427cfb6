#include "loaders/pprof/pprof_profile.h"

#include <algorithm>
#include <string>

#include "fmt/format.h"
#include "loaders/core/load_context.h"
#include "util/files/wire.h"

namespace tfprof::pprof {

void PprofIds::Add(uint64_t id) {
  counting_ &= id == uint64_t{size_} + 1;
  sorted_.push_back({id, size_++});
}

void PprofIds::Finish() {
  if (counting_) {
    sorted_ = {};
  } else {
    std::sort(sorted_.begin(), sorted_.end());
  }
}

uint32_t PprofIds::Find(uint64_t id) const {
  if (counting_) {
    return id - 1 < size_ ? static_cast<uint32_t>(id - 1) : profile::kNone;
  }
  const auto it = std::lower_bound(sorted_.begin(), sorted_.end(),
                                   std::pair(id, uint32_t{0}));
  return it != sorted_.end() && it->first == id ? it->second : profile::kNone;
}

namespace {

// Fields of Profile.
constexpr uint32_t kSampleType = util::LengthTag(1),
                   kSample = util::LengthTag(2), kMapping = util::LengthTag(3),
                   kLocation = util::LengthTag(4),
                   kFunction = util::LengthTag(5), kString = util::LengthTag(6),
                   kPeriodType = util::LengthTag(11),
                   kPeriod = util::VarintTag(12),
                   kDefaultType = util::VarintTag(14);

class Reader {
 public:
  Reader(const loaders::InputFile& file, PprofProfile& profile,
         loaders::ImportLog& log)
      : file_(file), profile_(profile), log_(log) {}

  absl::Status Read() {
    const std::string_view bytes = file_.bytes();
    util::WireReader r(bytes);
    int64_t default_type = 0;
    size_t fields = 0;
    size_t field = 0;  // offset of the current field
    for (; r.Next(); field = r.good_bytes(), ++fields) {
      switch (r.tag()) {
        case kSampleType:
          types_.push_back(r.view());
          break;
        case kSample:
          profile_.samples.push_back(field);
          break;
        case kMapping:
          mappings_.push_back(r.view());
          break;
        case kLocation:
          locations_.push_back(r.view());
          break;
        case kFunction:
          functions_.push_back(r.view());
          break;
        case kString:
          profile_.strings.push_back(r.view());
          break;
        case kPeriodType:
          period_type_ = r.view();
          break;
        case kPeriod:
          profile_.period = r.int64();
          break;
        case kDefaultType:
          default_type = r.int64();
          break;
      }
    }
    if (fields == 0 || types_.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a pprof profile", file_.path(),
          fields == 0 && r.damaged()
              ? r.Describe(0)
              : fmt::format("no sample type in {} bytes", bytes.size())));
    }
    if (r.damaged()) {
      loaders::LogDamage(file_, r, bytes, "pprof profile", /*kept=*/true, log_);
    }
    // The strings may come after the messages that refer to them, and the lines
    // of locations refer to functions.
    for (const std::string_view type : types_) {
      profile_.types.push_back(ReadType(type));
    }
    profile_.period_type = ReadType(period_type_);
    profile_.default_type = profile_.String(default_type);
    for (const std::string_view mapping : mappings_) ReadMapping(mapping);
    profile_.mapping_ids.Finish();
    for (const std::string_view function : functions_) ReadFunction(function);
    profile_.function_ids.Finish();
    for (const std::string_view location : locations_) ReadLocation(location);
    profile_.location_ids.Finish();
    return absl::OkStatus();
  }

 private:
  void CheckDamage(const util::WireReader& r, std::string_view message,
                   std::string_view what) {
    if (r.damaged()) {
      loaders::LogDamage(file_, r, message, what, /*kept=*/true, log_);
    }
  }

  PprofProfile::ValueType ReadType(std::string_view bytes) {
    PprofProfile::ValueType type;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.tag() == util::VarintTag(1)) type.type = profile_.String(r.int64());
      if (r.tag() == util::VarintTag(2)) type.unit = profile_.String(r.int64());
    }
    CheckDamage(r, bytes, "pprof sample type");
    return type;
  }

  void ReadMapping(std::string_view bytes) {
    uint64_t id = 0;
    std::string_view name;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.tag() == util::VarintTag(1)) id = r.value();
      if (r.tag() == util::VarintTag(5)) name = profile_.String(r.int64());
    }
    CheckDamage(r, bytes, "pprof mapping");
    profile_.mapping_ids.Add(id);
    profile_.mappings.push_back(name);
  }

  void ReadFunction(std::string_view bytes) {
    uint64_t id = 0;
    std::string_view system_name;
    PprofProfile::Function function;
    util::WireReader r(bytes);
    while (r.Next()) {
      switch (r.tag()) {
        case util::VarintTag(1):
          id = r.value();
          break;
        case util::VarintTag(2):
          function.name = profile_.String(r.int64());
          break;
        case util::VarintTag(3):
          system_name = profile_.String(r.int64());
          break;
        case util::VarintTag(4):
          function.file = profile_.String(r.int64());
          break;
        case util::VarintTag(5):
          function.start_line = r.int64();
          break;
      }
    }
    CheckDamage(r, bytes, "pprof function");
    if (function.name.empty()) function.name = system_name;
    profile_.function_ids.Add(id);
    profile_.functions.push_back(function);
  }

  void ReadLocation(std::string_view bytes) {
    uint64_t id = 0;
    PprofProfile::Location location;
    location.first_line = static_cast<uint32_t>(profile_.lines.size());
    util::WireReader r(bytes);
    while (r.Next()) {
      switch (r.tag()) {
        case util::VarintTag(1):
          id = r.value();
          break;
        case util::VarintTag(2):
          location.mapping = profile_.mapping_ids.Find(r.value());
          break;
        case util::VarintTag(3):
          location.address = r.value();
          break;
        case util::LengthTag(4):
          ReadLine(r.view());
          break;
      }
    }
    CheckDamage(r, bytes, "pprof location");
    location.num_lines =
        static_cast<uint32_t>(profile_.lines.size()) - location.first_line;
    profile_.location_ids.Add(id);
    profile_.locations.push_back(location);
  }

  void ReadLine(std::string_view bytes) {
    PprofProfile::Line line;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.tag() == util::VarintTag(1)) {
        line.function = profile_.function_ids.Find(r.value());
      }
      if (r.tag() == util::VarintTag(2)) line.line = r.int64();
    }
    CheckDamage(r, bytes, "pprof line");
    profile_.lines.push_back(line);
  }

  const loaders::InputFile& file_;
  PprofProfile& profile_;
  loaders::ImportLog& log_;
  std::vector<std::string_view> types_, mappings_, locations_, functions_;
  std::string_view period_type_;
};

bool ReadLabel(std::string_view bytes, PprofSample::Label& label) {
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::VarintTag(1):
        label.key = r.int64();
        break;
      case util::VarintTag(2):
        label.text = r.int64();
        break;
      case util::VarintTag(3):
        label.number = r.int64();
        break;
      case util::VarintTag(4):
        label.unit = r.int64();
        break;
    }
  }
  return !r.damaged();
}

}  // namespace

absl::Status ReadPprof(const loaders::InputFile& file, PprofProfile& profile,
                       loaders::ImportLog& log) {
  return Reader(file, profile, log).Read();
}

std::string_view PprofField(const loaders::InputFile& file, uint64_t offset) {
  util::WireReader r(file.bytes().substr(offset));
  return r.Next() ? r.view() : std::string_view();
}

bool ReadPprofSample(std::string_view bytes, PprofSample& sample) {
  sample.location_ids.clear();
  sample.values.clear();
  sample.labels.clear();
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.number()) {
      case 1:
        good &= util::AppendInts(r, sample.location_ids);
        break;
      case 2:
        good &= util::AppendInts(r, sample.values);
        break;
      case 3:
        if (r.is_length()) {
          good &= ReadLabel(r.view(), sample.labels.emplace_back());
        }
        break;
    }
  }
  return good && !r.damaged();
}

}  // namespace tfprof::pprof
