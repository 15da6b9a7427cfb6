#include "exporters/pprof.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "profile/string_pool.h"
#include "protozero/pbf_writer.hpp"

namespace tfprof {
namespace {

// Field numbers of perftools.profiles.*, github.com/google/pprof,
// proto/profile.proto.
namespace profile_field {
constexpr int kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5,
              kStringTable = 6, kComment = 13;
}  // namespace profile_field
namespace value_type_field {
constexpr int kType = 1, kUnit = 2;
}  // namespace value_type_field
namespace sample_field {
constexpr int kLocationId = 1, kValue = 2, kLabel = 3;
}  // namespace sample_field
namespace label_field {
constexpr int kKey = 1, kStr = 2;
}  // namespace label_field
namespace location_field {
constexpr int kId = 1, kLine = 4;
}  // namespace location_field
namespace line_field {
constexpr int kFunctionId = 1, kLine = 2;
}  // namespace line_field
namespace function_field {
constexpr int kId = 1, kName = 2, kFilename = 4, kStartLine = 5;
}  // namespace function_field

constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

struct SampleType {
  Field field;
  Stat stat;
  std::string_view name;
  std::string_view unit;
  std::string_view comment;
};

constexpr std::array<SampleType, 9> kSampleTypes = {{
    {Field::kMicros, kMicros, "micros", "microseconds",
     "Sum of accelerator execution time and cpu execution time."},
    {Field::kAcceleratorMicros, kAcceleratorMicros, "accelerator_micros",
     "microseconds", "Accelerator execution time."},
    {Field::kCpuMicros, kCpuMicros, "cpu_micros", "microseconds",
     "CPU execution time."},
    {Field::kBytes, kRequestedBytes, "bytes", "bytes",
     "Sum of operation total memory requests, excluding deallocations."},
    {Field::kPeakBytes, kPeakBytes, "peak_bytes", "bytes",
     "Sum of operation peak memory usage."},
    {Field::kResidualBytes, kResidualBytes, "residual_bytes", "bytes",
     "Sum of operation allocated memory after finish."},
    {Field::kOutputBytes, kOutputBytes, "output_bytes", "bytes",
     "Sum of operation output size."},
    {Field::kParams, kParameters, "params", "count", "Model parameters."},
    {Field::kFloatOps, kFloatOps, "float_ops", "count",
     "Model float operations (Only available if defined)."},
}};

const SampleType* FindSampleType(Field field) {
  for (const SampleType& type : kSampleTypes) {
    if (type.field == field) return &type;
  }
  return nullptr;
}

// Proto3 leaves out what is 0.
void AddUint64(protozero::pbf_writer& message, int field, uint64_t value) {
  if (value != 0) message.add_uint64(field, value);
}

class Encoder {
 public:
  Encoder(const Report& report, const SampleType& type,
          const StatsTable& node_stats)
      : report_(report),
        profile_(*report.profile),
        code_(*report.code),
        type_(type),
        node_stats_(node_stats) {
    String("");
    std::vector<uint8_t> all(code_.parent.size(), 1);
    LinkChildren(code_.parent, all, full_tree_);
  }

  absl::StatusOr<std::string> Encode() {
    const std::vector<Report::Row>& rows = report_.rows;
    shown_.resize(rows.size());
    // The row above the current one, by depth.
    std::vector<uint32_t> above;
    for (uint32_t i = 1; i < rows.size(); ++i) {
      const uint32_t depth = rows[i].depth;
      above.resize(depth);
      above[depth - 1] = i;
      if (depth > 1) {
        const uint32_t caller = above[depth - 2];
        shown_[i] = {Location(rows[caller].view_row, rows[i].view_row), caller};
      }
      const bool leaf = i + 1 == rows.size() || rows[i + 1].depth <= depth;
      if (leaf) AddSamples(i);
    }
    return Serialize();
  }

 private:
  struct ShownRow {
    uint64_t location = 0;  // 0: directly below the root
    uint32_t caller = 0;    // row above
  };
  struct Sample {
    uint32_t row = 0;  // shown row, for the stack
    uint32_t label = 0;
    int64_t value = 0;
  };
  struct Function {
    uint64_t id = 0;
    uint32_t name = 0;
    uint32_t filename = 0;
  };
  struct LocationEntry {
    uint64_t id = 0;
    uint64_t function = 0;
  };
  // File, function, line. The reference compares lines as unsigned.
  using Key = std::tuple<std::string_view, std::string_view, uint64_t>;

  // The index of a string in the table.
  uint32_t String(std::string_view s) { return strings_.Intern(s); }

  const Frame& FrameOf(uint32_t row) const {
    return profile_.graph().stacks.frame(code_.frame[row]);
  }

  // With the mark of gradient rows; the view lives as long as this.
  std::string_view FunctionName(uint32_t row) {
    const std::string_view name = TraceString(profile_, FrameOf(row).function);
    if (!code_.gradient[row]) return name;
    return names_.Get(names_.Intern(fmt::format("{} (gradient)", name)));
  }

  uint64_t FunctionId(uint32_t row) {
    const Frame& frame = FrameOf(row);
    const std::string_view file = TraceString(profile_, frame.file);
    const std::string_view name = FunctionName(row);
    const auto [it, is_new] = functions_.try_emplace(
        Key(file, name, static_cast<uint64_t>(frame.func_start_line)));
    Function& function = it->second;
    if (is_new) {
      function.id = functions_.size();
      std::string_view base = file.substr(file.rfind('/') + 1);
      base = base.substr(0, base.rfind('.'));
      function.name = String(fmt::format("{}:{}", base, name));
      function.filename = String(file);
    }
    return function.id;
  }

  uint64_t Location(uint32_t caller, uint32_t callee) {
    const Frame& frame = FrameOf(caller);
    const auto [it, is_new] = locations_.try_emplace(
        Key(TraceString(profile_, frame.file), FunctionName(callee),
            static_cast<uint64_t>(frame.lineno)));
    if (is_new) {
      it->second.id = locations_.size();
      it->second.function = FunctionId(callee);
    }
    return it->second.id;
  }

  // The accounted nodes of all rows below shown row `i` that call nothing.
  void AddSamples(uint32_t i) {
    std::vector<uint32_t> open = {report_.rows[i].view_row};
    while (!open.empty()) {
      const uint32_t row = open.back();
      open.pop_back();
      const auto callees = full_tree_.children_of(row);
      open.insert(open.end(), callees.rbegin(), callees.rend());
      if (!callees.empty()) continue;
      for (const NodeId n : code_.nodes_of(row)) {
        if (report_.accounted_sets[profile_.nodes().types[n]] == 0) continue;
        AddSample(i, n);
      }
    }
  }

  void AddSample(uint32_t i, NodeId n) {
    const std::string_view name = profile_.node_name(n);
    Sample& sample = samples_[name];
    sample.row = i;
    label_key_ = String("graph node:");
    sample.label = String(name);
    sample.value = node_stats_[n][type_.stat];
  }

  absl::StatusOr<std::string> Serialize() {
    const uint32_t count = String("count");
    const uint32_t field = String(type_.name);
    const uint32_t unit = String(type_.unit);
    const uint32_t comment = String(type_.comment);
    std::string message;
    protozero::pbf_writer profile(message);
    AddSampleType(profile, count, count);
    AddSampleType(profile, field, unit);
    for (const auto& [key, sample] : samples_) {
      AddSampleMessage(profile, sample);
      if (message.size() > kMaxMessageBytes) {
        return absl::ResourceExhaustedError(
            "the pprof profile would exceed 2 GiB; show fewer rows "
            "(-max_depth, -min_micros, -show_name_regexes)");
      }
    }
    for (const auto& [key, location] : locations_) {
      protozero::pbf_writer m(profile, profile_field::kLocation);
      AddUint64(m, location_field::kId, location.id);
      protozero::pbf_writer line(m, location_field::kLine);
      AddUint64(line, line_field::kFunctionId, location.function);
      AddUint64(line, line_field::kLine, std::get<2>(key));
    }
    for (const auto& [key, function] : functions_) {
      protozero::pbf_writer m(profile, profile_field::kFunction);
      AddUint64(m, function_field::kId, function.id);
      AddUint64(m, function_field::kName, function.name);
      AddUint64(m, function_field::kFilename, function.filename);
      AddUint64(m, function_field::kStartLine, std::get<2>(key));
    }
    for (StringId s = 0; s < strings_.size(); ++s) {
      const std::string_view string = strings_.Get(s);
      profile.add_string(profile_field::kStringTable, string.data(),
                         string.size());
    }
    const std::array<int64_t, 1> comments = {comment};
    profile.add_packed_int64(profile_field::kComment, comments.begin(),
                             comments.end());
    return message;
  }

  static void AddSampleType(protozero::pbf_writer& profile, uint32_t type,
                            uint32_t unit) {
    protozero::pbf_writer m(profile, profile_field::kSampleType);
    AddUint64(m, value_type_field::kType, type);
    AddUint64(m, value_type_field::kUnit, unit);
  }

  void AddSampleMessage(protozero::pbf_writer& profile,
                        const Sample& sample) const {
    protozero::pbf_writer m(profile, profile_field::kSample);
    // Innermost first.
    std::vector<uint64_t> stack;
    for (uint32_t i = sample.row; shown_[i].location != 0;
         i = shown_[i].caller) {
      stack.push_back(shown_[i].location);
    }
    m.add_packed_uint64(sample_field::kLocationId, stack.begin(), stack.end());
    const std::array<int64_t, 2> values = {1, sample.value};
    m.add_packed_int64(sample_field::kValue, values.begin(), values.end());
    protozero::pbf_writer label(m, sample_field::kLabel);
    AddUint64(label, label_field::kKey, label_key_);
    AddUint64(label, label_field::kStr, sample.label);
  }

  const Report& report_;
  const Profile& profile_;
  const CodeTree& code_;
  const SampleType& type_;
  const StatsTable& node_stats_;
  AccountedTree full_tree_;  // only its children
  StringPool strings_;       // in the order of their indices
  StringPool names_;         // marked function names
  std::vector<ShownRow> shown_;
  // By node: it stands on one row, so there is one sample of it.
  std::map<std::string_view, Sample> samples_;
  std::map<Key, Function> functions_;
  std::map<Key, LocationEntry> locations_;
  uint32_t label_key_ = 0;
};

}  // namespace

bool PprofSupports(Field field) { return FindSampleType(field) != nullptr; }

absl::StatusOr<std::string> EncodePprof(const Report& report, Field field,
                                        const StatsTable& node_stats) {
  const SampleType* type = FindSampleType(field);
  if (type == nullptr) {
    return absl::InvalidArgumentError(
        "a pprof profile has numbers only: select one of micros, "
        "accelerator_micros, cpu_micros, bytes, peak_bytes, residual_bytes, "
        "output_bytes, params, float_ops");
  }
  return Encoder(report, *type, node_stats).Encode();
}

}  // namespace tfprof
