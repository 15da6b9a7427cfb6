#include "loaders/pprof/sample_values.h"

#include <vector>

#include "fmt/format.h"
#include "util/arithmetic.h"

namespace tfprof::pprof {
namespace {

struct NamedUnit {
  std::string_view name;
  UnitScale scale;
};

constexpr int64_t kSecond = 1'000'000'000;
constexpr NamedUnit kTimes[] = {
    {"nanoseconds", {1, 1}},
    {"nanosecond", {1, 1}},
    {"ns", {1, 1}},
    {"picoseconds", {1, 1000}},
    {"ps", {1, 1000}},
    {"microseconds", {1000, 1}},
    {"microsecond", {1000, 1}},
    {"us", {1000, 1}},
    {"milliseconds", {1'000'000, 1}},
    {"millisecond", {1'000'000, 1}},
    {"ms", {1'000'000, 1}},
    {"seconds", {kSecond, 1}},
    {"second", {kSecond, 1}},
    {"s", {kSecond, 1}},
    {"minutes", {60 * kSecond, 1}},
    {"hours", {3600 * kSecond, 1}},
};
constexpr NamedUnit kSizes[] = {
    {"bytes", {1, 1}},           {"byte", {1, 1}},     {"b", {1, 1}},
    {"kilobytes", {1024, 1}},    {"kb", {1024, 1}},    {"kib", {1024, 1}},
    {"megabytes", {1 << 20, 1}}, {"mb", {1 << 20, 1}}, {"mib", {1 << 20, 1}},
    {"gigabytes", {1 << 30, 1}}, {"gb", {1 << 30, 1}}, {"gib", {1 << 30, 1}},
};

std::optional<UnitScale> Find(std::span<const NamedUnit> units,
                              std::string_view name) {
  for (const NamedUnit& unit : units) {
    if (unit.name == name) return unit.scale;
  }
  return std::nullopt;
}

// Returns "delay/nanoseconds".
std::string NameOf(const PprofProfile::ValueType& type) {
  return fmt::format("{}/{}", type.type, type.unit);
}

// Returns whether tfprof writes this count but does not count runs with it.
bool IsOfNodes(std::string_view type) {
  return type == "nodes" || type == "params" || type == "float_ops";
}

}  // namespace

std::optional<UnitScale> TimeUnit(std::string_view unit) {
  return Find(kTimes, unit);
}

std::optional<UnitScale> SizeUnit(std::string_view unit) {
  return Find(kSizes, unit);
}

int64_t Scale(int64_t value, const UnitScale& scale) {
  return util::SaturatingMul(value, scale.times) / scale.per;
}

SampleValues::SampleValues(const PprofProfile& profile) {
  ChooseTime(profile);
  ChooseSizes(profile);
  const auto is = [](const MaybeColumn& column, size_t value) {
    return column && column->value == value;
  };
  for (size_t i = 0; i < profile.types.size(); ++i) {
    const PprofProfile::ValueType& type = profile.types[i];
    const bool known = TimeUnit(type.unit) || SizeUnit(type.unit);
    if (!known && !runs_ && !IsOfNodes(type.type)) runs_ = {i, {}};
    bool used = false;
    for (const MaybeColumn& column :
         {cpu_, accelerator_, runs_, requested_, peak_, residual_, output_}) {
      used |= is(column, i);
    }
    if (!used && type.type != "nodes") {
      if (!unused_.empty()) unused_ += ", ";
      unused_ += NameOf(type);
    }
  }
}

void SampleValues::ChooseTime(const PprofProfile& profile) {
  MaybeColumn last, cpu, by_default;
  for (size_t i = 0; i < profile.types.size(); ++i) {
    const PprofProfile::ValueType& type = profile.types[i];
    const std::optional<UnitScale> scale = TimeUnit(type.unit);
    if (!scale) continue;
    const Column column = {i, *scale};
    if (type.type == "accelerator_micros") {
      accelerator_ = column;
      continue;
    }
    // "micros" in tfprof's own files is the sum of both times.
    const bool is_cpu = type.type == "cpu" || type.type == "cpu_micros";
    if (is_cpu && !cpu) cpu = column;
    last = column;
    if (type.type == profile.default_type) by_default = column;
  }
  cpu_ = accelerator_ ? cpu : by_default ? by_default : cpu ? cpu : last;
  if (cpu_ && (!cpu || cpu_->value != cpu->value)) {
    odd_time_ = NameOf(profile.types[cpu_->value]);
  }
  if (has_time() || profile.period <= 0) return;
  const std::optional<UnitScale> period = TimeUnit(profile.period_type.unit);
  for (size_t i = 0; period && i < profile.types.size(); ++i) {
    if (profile.types[i].type != "samples") continue;
    cpu_ = {i,
            {util::SaturatingMul(profile.period, period->times), period->per}};
    odd_time_ = NameOf(profile.types[i]) + " x period";
    return;
  }
}

void SampleValues::ChooseSizes(const PprofProfile& profile) {
  for (size_t i = 0; i < profile.types.size(); ++i) {
    const PprofProfile::ValueType& type = profile.types[i];
    const std::optional<UnitScale> scale = SizeUnit(type.unit);
    if (!scale) continue;
    const bool in_use =
        type.type == "inuse_space" || type.type == "residual_bytes";
    MaybeColumn& column = in_use                        ? residual_
                          : type.type == "peak_bytes"   ? peak_
                          : type.type == "output_bytes" ? output_
                                                        : requested_;
    if (!column) column = {i, *scale};
  }
}

int64_t SampleValues::Read(const MaybeColumn& column,
                           std::span<const int64_t> values) {
  return column && column->value < values.size()
             ? Scale(values[column->value], column->scale)
             : 0;
}

profile::GroupSums SampleValues::Of(std::span<const int64_t> values) const {
  return {.run_count = runs_ ? Read(runs_, values) : 1,
          .accelerator_time = Read(accelerator_, values),
          .cpu_time = Read(cpu_, values),
          .requested_bytes = Read(requested_, values),
          .peak_bytes = Read(peak_, values),
          .residual_bytes = Read(residual_, values),
          .output_bytes = Read(output_, values)};
}

}  // namespace tfprof::pprof
