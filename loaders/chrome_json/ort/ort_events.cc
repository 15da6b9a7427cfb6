#include "loaders/chrome_json/ort/ort_events.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "fmt/format.h"
#include "loaders/chrome_json/event_scanner.h"
#include "loaders/chrome_json/scan_log.h"
#include "util/json/json_reader.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kKernelTime = "_kernel_time";
constexpr std::string_view kFences[] = {"_fence_before", "_fence_after"};
// The limit keeps all differences of times in range.
constexpr int64_t kMaxTime = std::numeric_limits<int64_t>::max() / 4;

class Reader {
 public:
  explicit Reader(OrtEvents& result) : result_(result) {}

  void Add(const TraceEvent& from) {
    OrtEvent event;
    const std::optional<int64_t> start = util::ParseDecimal(from.timestamp, 3);
    std::optional<int64_t> duration = 0;
    if (!from.duration.empty()) duration = util::ParseDecimal(from.duration, 3);
    if (from.phase != 'X' || !start || *start > kMaxTime ||
        *start < -kMaxTime || !duration) {
      ++result_.unknown;
      return;
    }
    event.start = *start;
    event.duration = std::clamp<int64_t>(*duration, 0, kMaxTime);
    event.name = Text(from.name);
    event.process = from.pid;
    event.thread = from.tid;
    event.offset = from.offset;
    ReadArgs(from.args, event);
    if (from.category == "Session") {
      event.kind = event.name == "model_run" ? OrtEvent::Kind::kRun
                                             : OrtEvent::Kind::kSession;
    } else if (from.category == "Node") {
      for (const std::string_view fence : kFences) {
        if (event.name.ends_with(fence)) {
          ++result_.fences;
          return;
        }
      }
      event.kind = OrtEvent::Kind::kNode;
      event.name = WithoutSuffix(event.name);
      if (event.op.empty()) event.op = event.name;
    } else if (from.category == "Kernel") {
      event.kind = OrtEvent::Kind::kKernel;
      event.parent = WithoutSuffix(event.parent);
    } else {
      ++result_.unknown;
      return;
    }
    result_.events.push_back(event);
  }

 private:
  static std::string_view WithoutSuffix(std::string_view name) {
    return name.ends_with(kKernelTime)
               ? name.substr(0, name.size() - kKernelTime.size())
               : name;
  }

  std::string_view Text(std::string_view raw) {
    if (raw.find('\\') == raw.npos) return raw;
    std::string& buffer = result_.buffers.emplace_back();
    return util::DecodeJsonString(raw, buffer);
  }

  void ReadArgs(std::string_view args, OrtEvent& event) {
    util::JsonReader r(args);
    if (!r.EnterObject()) return;
    std::string_view key, value;
    while (r.NextDecodedMember(key)) {
      if (!r.ReadScalar(value)) value = r.Skip();
      if (key == "op_name") {
        event.op = Text(value);
      } else if (key == "provider") {
        event.provider = Text(value);
      } else if (key == "parent_name") {
        event.parent = Text(value);
      } else if (key == "stream") {
        event.stream = value;
      } else if (key == "output_size") {
        event.output_bytes = util::ParseDecimal(value).value_or(0);
      } else if (key == "mem_bytes_in_use") {
        event.bytes_in_use = util::ParseDecimal(value).value_or(-1);
      } else if (key == "input_type_shape") {
        event.input_shapes = value;
      } else if (key == "output_type_shape") {
        event.output_shapes = value;
      }
    }
  }

  OrtEvents& result_;
};

}  // namespace

OrtEvents ReadOrtEvents(const loaders::InputFile& file,
                        loaders::ImportLog& log) {
  OrtEvents result;
  Reader reader(result);
  EventScanner scanner(file.bytes());
  TraceEvent event;
  while (scanner.Next(event)) reader.Add(event);
  LogScan(file, scanner, log);
  // An operation is written before the run that it is in.
  std::stable_sort(result.events.begin(), result.events.end(),
                   [](const OrtEvent& a, const OrtEvent& b) {
                     return std::tuple(a.start, b.duration) <
                            std::tuple(b.start, a.duration);
                   });
  return result;
}

std::vector<std::vector<int64_t>> ParseOrtShapes(std::string_view json) {
  std::vector<std::vector<int64_t>> shapes;
  util::JsonReader r(json);
  if (!r.EnterArray()) return shapes;
  std::string_view type, number;
  while (r.NextElement()) {
    if (!r.EnterObject()) {
      r.Skip();
      continue;
    }
    while (r.NextDecodedMember(type)) {
      if (!r.EnterArray()) {
        r.Skip();
        continue;
      }
      std::vector<int64_t>& dims = shapes.emplace_back();
      while (r.NextElement()) {
        if (!r.ReadNumber(number)) number = r.Skip();
        dims.push_back(util::ParseDecimal(number).value_or(-1));
      }
      if (dims.empty()) dims = {1};
    }
  }
  return shapes;
}

}  // namespace tfprof::chrome_json
