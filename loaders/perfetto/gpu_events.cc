#include "loaders/perfetto/gpu_events.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "loaders/perfetto/track_events.h"
#include "util/files/wire.h"
#include "util/text/decimal.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

struct ExtraText {
  std::string_view key, value;
};

// The texts say the device again, under several names.
std::optional<ExtraText> ReadExtra(std::string_view bytes) {
  ExtraText text;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == LengthTag(1)) text.key = r.view();
    if (r.tag() == LengthTag(2)) text.value = r.view();
  }
  if (text.key == "device id" || text.key == "device") return std::nullopt;
  if (text.key == "stream id") text.key = "stream";
  return text;
}

// Returns the number at the end of the name of a queue, else its own number.
int64_t StreamOf(const GpuWork& work) {
  const std::string_view name = work.queue_name;
  const size_t number = name.find_last_not_of("0123456789") + 1;
  return util::ParseDecimal(name.substr(std::min(number, name.size())))
      .value_or(static_cast<int64_t>(work.queue));
}

std::string_view Known(const Texts& texts, TextTable table, uint64_t position) {
  const std::string_view* text = texts.Find(table, position);
  return text == nullptr ? std::string_view() : *text;
}

}  // namespace

uint64_t GpuTrack(int64_t gpu, uint64_t queue) {
  return (uint64_t{0x67} << 56) ^ (static_cast<uint64_t>(gpu) << 32) ^ queue;
}

GpuWork ReadGpuWork(std::string_view bytes, const TextFinder& texts,
                    std::vector<uint64_t>& flows) {
  GpuWork work;
  Slice& slice = work.slice;
  slice.duration = 0;
  slice.device = 0;
  slice.has_annotations = true;
  slice.has_facts = true;
  uint64_t stage = 0;
  bool has_ids = false;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(7):
        work.specifications = r.view();
        break;
      case VarintTag(1):
        flows.push_back(FlowOfWork(r.value()));
        break;
      case VarintTag(2):
        slice.duration = std::max<int64_t>(0, r.int64());
        break;
      case VarintTag(3):
      case VarintTag(13):
        work.queue = r.value();
        has_ids |= r.number() == 13;
        break;
      case VarintTag(4):
      case VarintTag(14):
        stage = r.value();
        has_ids |= r.number() == 14;
        break;
      case VarintTag(11):
        slice.device = std::max(0, r.int32());
        break;
      case LengthTag(17):
        slice.name = r.view();
        break;
      case VarintTag(20):
        if (slice.name.empty()) {
          slice.name = texts.Get(TextTable::kNames, r.value(), bytes);
        }
        break;
      case VarintTag(19):
        if (slice.name.empty()) {
          slice.name = texts.Get(TextTable::kKernels, r.value(), bytes);
        }
        break;
      case LengthTag(6):
        if (const auto text = ReadExtra(r.view())) {
          const auto number = util::ParseDecimal(text->value);
          if (!number) break;
          slice.has_stream |= text->key == "stream";
          if (text->key == "correlation") slice.correlation = *number;
        }
        break;
      default:
        break;
    }
  }
  work.damaged = r.damaged();
  if (has_ids) {
    const TextTable table = TextTable::kSpecifications;
    work.queue_name = texts.Get(table, work.queue, bytes);
    work.stage = texts.Get(table, stage, bytes);
  } else {
    work.queue_name = Known(texts.texts, TextTable::kQueues, work.queue);
    work.stage = Known(texts.texts, TextTable::kStages, stage);
  }
  if (work.stage.empty()) work.stage = "Kernel";
  if (slice.name.empty()) slice.name = work.stage;
  return work;
}

bool ReadSpecifications(std::string_view bytes, Texts& texts) {
  texts.Clear(TextTable::kQueues);
  texts.Clear(TextTable::kStages);
  uint64_t queues = 0, stages = 0;
  bool damaged = false;
  util::WireReader r(bytes);
  while (r.Next()) {
    const bool is_queue = r.tag() == LengthTag(2);
    if (!is_queue && r.tag() != LengthTag(3)) continue;
    std::string_view name;
    util::WireReader entry(r.view());
    while (entry.Next()) {
      if (entry.tag() == LengthTag(1)) name = entry.view();
    }
    damaged |= entry.damaged();
    if (is_queue) {
      texts.Set(TextTable::kQueues, queues++, name);
    } else {
      texts.Set(TextTable::kStages, stages++, name);
    }
  }
  return !damaged && !r.damaged();
}

void AppendWorkArguments(std::string_view bytes, const TextFinder& texts,
                         std::string& json) {
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() != LengthTag(6)) continue;
    const auto text = ReadExtra(r.view());
    if (!text || json.size() > kMaxArguments) continue;
    if (const auto number = util::ParseDecimal(text->value)) {
      AppendNumber(text->key, *number, json);
    } else {
      AppendText(text->key, text->value, json);
    }
  }
  std::vector<uint64_t> flows;
  const TextFinder silent = {.texts = texts.texts};
  const GpuWork work = ReadGpuWork(bytes, silent, flows);
  if (!work.slice.has_stream) AppendNumber("stream", StreamOf(work), json);
  AppendNumber("device", work.slice.device, json);
}

bool GpuCounters::Read(std::string_view bytes, std::vector<Value>& values) {
  values.clear();
  int64_t gpu = 0;
  bool damaged = false;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(3)) gpu = r.int32();
    if (r.tag() == LengthTag(1)) damaged |= !ReadNames(r.view());
    if (r.tag() != LengthTag(2)) continue;
    Value value;
    util::WireReader counter(r.view());
    while (counter.Next()) {
      if (counter.tag() == VarintTag(1)) value.track = counter.value();
      if (counter.tag() == VarintTag(2)) {
        value.value = static_cast<double>(counter.int64());
      }
      if (counter.tag() == (3 << 3 | 1)) {
        value.value = std::bit_cast<double>(counter.value());
      }
    }
    damaged |= counter.damaged();
    values.push_back(value);
  }
  for (Value& value : values) {
    const auto kind = kinds_.find(value.track);
    value.name = "counter";
    if (kind != kinds_.end()) {
      value.name = kind->second.name;
      value.in_bytes = kind->second.in_bytes;
    }
    value.track = GpuTrack(gpu, UINT32_MAX);
  }
  return !damaged && !r.damaged();
}

bool GpuCounters::ReadNames(std::string_view bytes) {
  bool damaged = false;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() != LengthTag(1)) continue;
    constexpr int64_t kByte = 7;  // a MeasureUnit
    uint64_t id = 0;
    Kind kind;
    std::vector<int64_t> above, below;  // the units of a fraction
    util::WireReader spec(r.view());
    while (spec.Next()) {
      if (spec.tag() == VarintTag(1)) id = spec.value();
      if (spec.tag() == LengthTag(2)) kind.name = spec.view();
      if (spec.number() == 7) util::AppendInts(spec, above);
      if (spec.number() == 8) util::AppendInts(spec, below);
    }
    damaged |= spec.damaged();
    kind.in_bytes = above == std::vector{kByte} && below.empty();
    kinds_[id] = kind;
  }
  return !damaged && !r.damaged();
}

}  // namespace tfprof::perfetto
