#include "loaders/chrome_json/kineto/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/event_pieces.h"
#include "loaders/chrome_json/event_scanner.h"
#include "loaders/chrome_json/scan_log.h"
#include "loaders/chrome_json/unitrace_name.h"
#include "loaders/nodes/communication_kernels.h"
#include "util/arithmetic.h"
#include "util/json/json_reader.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

using Category = KinetoCategory;

// Kinds of log entries.
constexpr std::string_view kNoTime = "event without a time";
constexpr std::string_view kNegative = "negative duration";
constexpr std::string_view kUnknownPhase = "event of an unknown phase";

// The types of devices in memory events.
constexpr int64_t kCpuDevice = 0;

class Scanner {
 public:
  Scanner(const chrome_json::TraceInput& input, PythonNames& python,
          ScopeMaker& scopes, loaders::LoadContext& context)
      : context_(context),
        strings_(context.builder.mutable_graph().strings),
        python_(python),
        scopes_(scopes) {
    events_.file = input.file;
    events_.source = input.source;
  }

  absl::StatusOr<KinetoFile> Run() {
    if (events_.source != nullptr) {
      events_.source->Visit(
          [&](const chrome_json::TraceEvent& event) { Add(event); });
      if (context_.work.cancelled()) return absl::CancelledError("cancelled");
      return KinetoFile{std::move(events_), KinetoEnvelope()};
    }
    const loaders::InputFile& file = *events_.file;
    chrome_json::EventScanner scanner(file.bytes());
    chrome_json::VisitEvents(
        scanner, context_.work,
        [&](const chrome_json::TraceEvent& event) { Add(event); },
        [&](size_t bytes) {
          context_.progress->done += static_cast<int64_t>(bytes);
        });
    if (context_.work.cancelled()) return absl::CancelledError("cancelled");
    chrome_json::LogScan(file, scanner, context_.log);
    events_.cut = scanner.truncated() && !scanner.is_array();
    if (!scanner.has_events()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: expected a Kineto trace, found no array \"traceEvents\"; record "
          "one with torch.profiler and export_chrome_trace()",
          file.path()));
    }
    FindRangesOfOldFile();
    KinetoEnvelope envelope = ReadKinetoEnvelope(scanner.members());
    if (is_unitrace_) {
      FindUnitraceLaunches();
      NumberUnitraceDevices(envelope);
    }
    return KinetoFile{std::move(events_), std::move(envelope)};
  }

 private:
  // Before torch 1.11, ranges were operators, but without shapes and namespace.
  void FindRangesOfOldFile() {
    bool has_ranges = false, has_dims = false;
    for (const HostEvent& host : events_.host) {
      has_ranges |= host.is_range;
      has_dims |= host.dims != 0;
    }
    if (has_ranges) return;
    for (HostEvent& host : events_.host) {
      if (host.category != Category::kOp) continue;
      const std::string_view name = strings_.Get(host.name);
      host.is_range =
          name.starts_with("ProfilerStep#") ||
          (has_dims && host.dims == 0 && name.find("::") == name.npos &&
           name.find("Backward") == name.npos);
    }
  }

  // The calls of a file of unitrace are operators in name. Arrows lead from
  // them to their work, of which one may have much; some versions have an equal
  // number instead.
  void FindUnitraceLaunches() {
    std::vector<uint32_t> calls;
    for (uint32_t e = 0; e < events_.host.size(); ++e) {
      HostEvent& host = events_.host[e];
      if (host.category != Category::kOp ||
          !chrome_json::IsDeviceCall(strings_.Get(host.name))) {
        continue;
      }
      host.category = Category::kLaunch;
      calls.push_back(e);
    }
    std::ranges::sort(calls, {}, [&](uint32_t e) {
      const HostEvent& host = events_.host[e];
      return std::tuple(host.thread, host.start, -host.duration, e);
    });
    absl::flat_hash_map<int64_t, uint32_t> call_of;  // by number of the work
    for (const KinetoFlowEnd& flow : launch_flows_) {
      const auto after = std::ranges::upper_bound(
          calls, std::pair(flow.thread, flow.time), {}, [&](uint32_t e) {
            return std::pair(events_.host[e].thread, events_.host[e].start);
          });
      if (after == calls.begin()) continue;
      const HostEvent& host = events_.host[*(after - 1)];
      if (host.thread != flow.thread || host.end() < flow.time) continue;
      call_of.try_emplace(flow.id, *(after - 1));
    }
    for (const auto& [e, id] : op_ids_) {
      if (events_.host[e].category == Category::kLaunch) {
        call_of.try_emplace(id, e);
      }
    }
    for (DeviceEvent& device : events_.device) {
      const auto call = call_of.find(device.correlation);
      device.correlation = 0;
      if (call == call_of.end()) continue;
      device.correlation = int64_t{call->second} + 1;
      events_.host[call->second].correlation = device.correlation;
    }
  }

  // The devices of unitrace are processes with large numbers, called
  // "DEVICE<model>[0000:29:00.0]".
  void NumberUnitraceDevices(KinetoEnvelope& envelope) {
    std::map<std::pair<std::string, int64_t>, int64_t> number_of;  // by address
    const auto key = [&](int64_t pid) {
      const std::string& name = unitrace_devices_[pid];
      const size_t address = name.find(">[");
      return address == name.npos ? std::pair(std::string(), pid)
                                  : std::pair(name.substr(address), int64_t{0});
    };
    for (const DeviceLane& lane : events_.device_lanes) {
      number_of.try_emplace(key(lane.device));
    }
    int64_t next = 0;
    for (auto& [address, number] : number_of) number = next++;
    for (DeviceLane& lane : events_.device_lanes) {
      constexpr std::string_view kDevice = "DEVICE<";
      const std::string_view name = unitrace_devices_[lane.device];
      lane.device = number_of[key(lane.device)];
      const bool is_known = std::ranges::any_of(
          envelope.devices,
          [&](const KinetoDevice& known) { return known.id == lane.device; });
      if (is_known || !name.starts_with(kDevice)) continue;
      envelope.devices.push_back(
          {.id = lane.device,
           .name = std::string(
               name.substr(kDevice.size(), name.rfind('>') - kDevice.size()))});
    }
  }

  void Add(const chrome_json::TraceEvent& event) {
    switch (event.phase) {
      case 'X':
        return AddComplete(event);
      case 'i':
      case 'I':
        if (event.name == "[memory]") AddMemory(event);
        if (event.name == "Record Window End") AddEnd(event);
        return;
      case 's':
      case 'f':
        if (IsForwardBackward(event.category)) AddFlow(event, events_.flows);
        // From a call to its work, in a file of unitrace.
        if (event.category.starts_with("Flow_H2D_") ||
            event.category.starts_with("CL_Flow_H2D_")) {
          AddFlow(event, launch_flows_);
        }
        return;
      case 't':
        return;
      case 'C':
        return AddCounter(event);
      case 'M':
        return AddMetadata(event);
      default:
        context_.log.Count(loaders::ImportLog::kNotice, kUnknownPhase, 1);
        return;
    }
  }

  void AddComplete(const chrome_json::TraceEvent& event) {
    const Category category = CategoryOf(event.category);
    if (category == Category::kSpan) return;
    int64_t start = 0, duration = 0;
    if (!TimeOf(event, start)) return;
    if (event.nanos) {
      duration = event.nanos->duration;
    } else if (!event.duration.empty()) {
      const std::optional<int64_t> nanos =
          util::ParseDecimal(event.duration, 3);
      if (!nanos) return CountNoTime(event);
      duration = *nanos;
    }
    if (duration < 0) {
      context_.log.Count(loaders::ImportLog::kNotice, kNegative, 1);
      duration = 0;
    }
    duration = util::SaturatingAdd(start, duration) - start;
    switch (category) {
      case Category::kOp:
      case Category::kRange:
      case Category::kLaunch:
        return AddHost(event, category, start, duration);
      case Category::kPython:
        return AddPython(event, start, duration);
      case Category::kKernel:
      case Category::kCopy:
      case Category::kSet:
      case Category::kDeviceRange:
      case Category::kSync:
      case Category::kCounters:
        return AddDevice(event, category, start, duration);
      case Category::kOverhead:
      case Category::kSpan:
      case Category::kUnknown:
        break;
    }
    events_.other.push_back({start, duration, event.offset, NameOf(event),
                             strings_.Intern(event.category), ThreadOf(event)});
  }

  void AddHost(const chrome_json::TraceEvent& event, Category category,
               int64_t start, int64_t duration) {
    HostEvent host = {
        .start = start,
        .duration = duration,
        .offset = event.offset,
        .name = category == Category::kOp
                    ? strings_.Intern(WithoutCallNumber(
                          util::DecodeJsonString(event.name, buffer_)))
                    : NameOf(event),
        .thread = ThreadOf(event),
        .category = category};
    if (category == Category::kLaunch) {
      host.correlation = event.numbers.correlation.value_or(0);
    }
    const auto index = static_cast<uint32_t>(events_.host.size());
    if (!event.id.empty()) {
      const int64_t id = util::ParseDecimal(event.id).value_or(0);
      if (id != 0) op_ids_.emplace_back(index, id);
    }
    SequenceNumber sequence = {.host = index};
    bool has_sequence = false;
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      std::string_view text;
      if (category == Category::kLaunch) {
        if (key == "kernel") {
          if (!r.ReadString(text)) return false;
          events_.launched_kernels.emplace_back(
              index, strings_.Intern(util::DecodeJsonString(text, buffer_)));
          return true;
        }
        if (key != "correlation") return false;
        host.correlation = TakeInteger(r);
      } else if (key == "Input Dims") {
        text = r.Skip();
        host.dims = profile::StringPool::Hash(text) | 1;
      } else if (key == "Sequence number") {
        sequence.number = TakeInteger(r);
        has_sequence = true;
      } else if (key == "Fwd thread id") {
        sequence.backward = TakeInteger(r) != 0;
      } else if (key == "Call stack") {
        if (!r.ReadString(text) || text.empty()) return !text.empty();
        const profile::StackId stack = python_.InternStack(
            util::DecodeJsonString(text, buffer_), graph().stacks);
        if (stack != profile::kNoStack)
          events_.call_stacks.emplace_back(index, stack);
      } else if (key == "Module Hierarchy") {
        if (!r.ReadString(text)) return false;
        const profile::ScopeId scope =
            HierarchyOf(util::DecodeJsonString(text, buffer_));
        if (scope != profile::kRootScope)
          events_.hierarchies.emplace_back(index, scope);
      } else {
        return false;
      }
      return true;
    });
    if (event.category.starts_with("xpu")) events_.accelerator = "xpu";
    host.is_range = category == Category::kRange;
    host.async = host.is_range && event.name.starts_with("gloo:");
    if (has_sequence && sequence.number >= 0) {
      events_.sequence.push_back(sequence);
    }
    events_.host.push_back(host);
  }

  void AddPython(const chrome_json::TraceEvent& event, int64_t start,
                 int64_t duration) {
    PythonEvent frame = {
        .start = start, .end = start + duration, .thread = ThreadOf(event)};
    frame.name = python_.Intern(util::DecodeJsonString(event.name, buffer_));
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      std::string_view text;
      if (key != "CallFrom" || !r.ReadString(text)) return false;
      const size_t colon = text.rfind(':');
      if (colon == text.npos) return true;
      const std::optional<int64_t> line =
          util::ParseDecimal(text.substr(colon + 1));
      if (line && *line >= 0 && *line <= INT32_MAX) {
        frame.call_line = static_cast<int32_t>(*line);
      }
      return true;
    });
    events_.python.push_back(frame);
  }

  void AddDevice(const chrome_json::TraceEvent& event, Category category,
                 int64_t start, int64_t duration) {
    if (event.category.starts_with("mtia")) events_.accelerator = "mtia";
    if (event.category.starts_with("hpu")) events_.accelerator = "hpu";
    DeviceEvent device = {
        .start = start, .duration = duration, .offset = event.offset};
    const bool is_unitrace = event.category == chrome_json::kUnitraceWork;
    if (is_unitrace) {
      is_unitrace_ = true;
      events_.accelerator = "xpu";
      const chrome_json::UnitraceName name = chrome_json::ReadUnitraceName(
          util::DecodeJsonString(event.name, buffer_));
      using Kind = chrome_json::UnitraceName::Kind;
      category = name.kind == Kind::kCopy   ? Category::kCopy
                 : name.kind == Kind::kSet  ? Category::kSet
                 : name.kind == Kind::kSync ? Category::kSync
                                            : Category::kKernel;
      device.name = strings_.Intern(name.name);
    } else {
      device.name = NameOf(event);
    }
    device.correlation = event.numbers.correlation.value_or(0);
    profile::StringId node_name = profile::kNone;
    DeviceLane lane = {.device = event.numbers.device.value_or(-1),
                       .stream = event.numbers.stream.value_or(
                           profile::Lane::kUnnumberedStream)};
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      if (key == (is_unitrace ? "id" : "correlation")) {
        device.correlation = TakeInteger(r);
      } else if (key == "device") {
        lane.device = TakeInteger(r, -1);
      } else if (key == "stream") {
        lane.stream = TakeInteger(r, profile::Lane::kUnnumberedStream);
      } else if (key == "name") {
        std::string_view text;
        if (!r.ReadString(text)) return false;
        node_name = strings_.Intern(util::DecodeJsonString(text, buffer_));
      } else {
        return false;
      }
      return true;
    });
    if (lane.device < 0)
      lane.device = util::ParseDecimal(event.pid).value_or(0);
    if (lane.stream == profile::Lane::kUnnumberedStream) {
      constexpr std::string_view kStream = "stream ";
      std::string_view tid = event.tid;
      if (tid.starts_with(kStream)) tid.remove_prefix(kStream.size());
      lane.stream =
          util::ParseDecimal(tid).value_or(profile::Lane::kUnnumberedStream);
    }
    lane.kind = KindOfLane(category, device.name);
    device.lane = LaneOf(lane);
    if (node_name != profile::kNone) {
      events_.node_names.emplace_back(
          static_cast<uint32_t>(events_.device.size()), node_name);
    }
    events_.device.push_back(device);
  }

  void AddEnd(const chrome_json::TraceEvent& event) {
    int64_t time = 0;
    if (!TimeOf(event, time)) return;
    events_.recorded_until =
        std::max(time, events_.recorded_until.value_or(time));
  }

  void AddMemory(const chrome_json::TraceEvent& event) {
    KinetoMemory memory;
    if (!TimeOf(event, memory.time)) return;
    int64_t type = kCpuDevice, id = -1, allocated = -1, reserved = -1;
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      if (key == "Bytes") {
        memory.bytes = TakeInteger(r);
      } else if (key == "Device Type") {
        type = TakeInteger(r);
      } else if (key == "Device Id") {
        id = TakeInteger(r, -1);
      } else if (key == "Total Allocated") {
        allocated = TakeInteger(r, -1);
      } else if (key == "Total Reserved") {
        reserved = TakeInteger(r, -1);
      } else {
        return false;
      }
      return true;
    });
    memory.thread = ThreadOf(event);
    events_.memory.push_back(memory);
    const std::string device =
        type == kCpuDevice ? "cpu:0" : fmt::format("gpu:{}", id);
    const auto add = [&](std::string_view what, int64_t value) {
      if (value < 0) return;
      AddSample(fmt::format("{} {}", device, what), BytesUnit(), memory.time,
                static_cast<double>(value), type != kCpuDevice);
    };
    add("allocated", allocated);
    add("reserved", reserved);
  }

  void AddFlow(const chrome_json::TraceEvent& event,
               std::vector<KinetoFlowEnd>& flows) {
    KinetoFlowEnd end = {.thread = ThreadOf(event),
                         .begins = event.phase == 's'};
    const std::optional<int64_t> id = util::ParseDecimal(event.id);
    if (!id || !TimeOf(event, end.time)) return;
    end.id = *id;
    flows.push_back(end);
  }

  void AddCounter(const chrome_json::TraceEvent& event) {
    int64_t time = 0;
    if (!TimeOf(event, time)) return;
    const std::string name(util::DecodeJsonString(event.name, buffer_));
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      std::string_view text;
      if (!r.ReadScalar(text)) return false;
      double value = 0;
      const char* const end = text.data() + text.size();
      if (std::from_chars(text.data(), end, value).ptr != end) return true;
      const std::string series =
          key == name || key.empty() ? name : fmt::format("{}: {}", name, key);
      AddSample(series, event.in_bytes ? BytesUnit() : profile::kNone, time,
                value);
      return true;
    });
  }

  void AddMetadata(const chrome_json::TraceEvent& event) {
    const bool of_process = event.name == "process_name";
    if (!of_process && event.name != "thread_name") return;
    VisitArguments(event, [&](std::string_view key, util::JsonReader& r) {
      std::string_view text;
      if (key != "name" || !r.ReadString(text)) return false;
      const std::string_view name = util::DecodeJsonString(text, buffer_);
      if (!of_process) {
        events_.threads[ThreadOf(event)].name = strings_.Intern(name);
      } else if (name.starts_with("DEVICE<")) {
        unitrace_devices_[util::ParseDecimal(event.pid).value_or(0)] = name;
      }
      return true;
    });
  }

  profile::StringId BytesUnit() {
    if (bytes_unit_ == profile::kNone) bytes_unit_ = strings_.Intern("bytes");
    return bytes_unit_;
  }

  void AddSample(std::string_view name, profile::StringId unit, int64_t time,
                 double value, bool of_accelerator = false) {
    const uint32_t series = counter_names_.Intern(name);
    if (series == events_.counters.size()) {
      events_.counters.push_back({.name = std::string(name),
                                  .of_accelerator = of_accelerator,
                                  .unit = unit});
    }
    events_.counters[series].samples.push_back({time, value});
  }

  // Calls f(key, reader) for each argument; f returns whether it consumed the
  // value. ReadsArgument() has a list of the keys.
  template <typename F>
  static void VisitArguments(const chrome_json::TraceEvent& event, F f) {
    util::JsonReader r(event.args);
    std::string_view key;
    for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
      if (!f(key, r)) r.Skip();
    }
  }

  static int64_t TakeInteger(util::JsonReader& r, int64_t otherwise = 0) {
    std::string_view text;
    if (r.ReadScalar(text)) return util::ParseDecimal(text).value_or(otherwise);
    r.Skip();
    return otherwise;
  }

  bool TimeOf(const chrome_json::TraceEvent& event, int64_t& nanos) {
    if (event.nanos) {
      nanos = event.nanos->start;
      return true;
    }
    const std::optional<int64_t> time = util::ParseDecimal(event.timestamp, 3);
    if (!time) {
      CountNoTime(event);
      return false;
    }
    nanos = *time;
    return true;
  }

  void CountNoTime(const chrome_json::TraceEvent& event) {
    if (!context_.log.WantsText(kNoTime)) {
      return context_.log.Count(loaders::ImportLog::kDamage, kNoTime, 1);
    }
    context_.log.Add(
        loaders::ImportLog::kDamage, kNoTime,
        fmt::format("{}: byte {}: an event has no start or duration that is a "
                    "number of microseconds; it is skipped",
                    events_.file->path(), event.offset));
  }

  profile::StringId NameOf(const chrome_json::TraceEvent& event) {
    return strings_.Intern(util::DecodeJsonString(event.name, buffer_));
  }

  Category CategoryOf(std::string_view category) {
    if (category != last_category_text_) {
      last_category_text_ = category;
      last_category_ = KinetoCategoryOf(category);
    }
    return last_category_;
  }

  uint32_t ThreadOf(const chrome_json::TraceEvent& event) {
    if (last_thread_ != profile::kNone && event.pid == last_pid_ &&
        event.tid == last_tid_) {
      return last_thread_;
    }
    last_pid_ = event.pid;
    last_tid_ = event.tid;
    std::string key(event.pid);
    key.append(1, '\0').append(event.tid);
    last_thread_ = thread_names_.Intern(key);
    if (last_thread_ == events_.threads.size()) {
      events_.threads.push_back(
          {.pid = std::string(util::DecodeJsonString(event.pid, buffer_)),
           .tid = std::string(util::DecodeJsonString(event.tid, buffer_))});
    }
    return last_thread_;
  }

  profile::LaneKind KindOfKernel(profile::StringId name) {
    const auto [it, added] = kernel_kinds_.try_emplace(name);
    if (added) {
      it->second = loaders::IsCommunicationKernel(strings_.Get(name))
                       ? profile::LaneKind::kCommunication
                       : profile::LaneKind::kKernels;
    }
    return it->second;
  }

  profile::LaneKind KindOfLane(Category category, profile::StringId name) {
    switch (category) {
      case Category::kKernel:
        return KindOfKernel(name);
      case Category::kCopy:
      case Category::kSet:
        return profile::LaneKind::kCopies;
      case Category::kSync:
        return profile::LaneKind::kOther;
      default:
        return profile::LaneKind::kAnnotation;
    }
  }

  uint32_t LaneOf(const DeviceLane& lane) {
    if (last_lane_ < events_.device_lanes.size() &&
        events_.device_lanes[last_lane_] == lane) {
      return last_lane_;
    }
    const auto [it, added] = lanes_.try_emplace(
        {lane.device, lane.stream, static_cast<int>(lane.kind)},
        static_cast<uint32_t>(events_.device_lanes.size()));
    if (added) events_.device_lanes.push_back(lane);
    return last_lane_ = it->second;
  }

  // Returns the scope of "top.layer(Linear).forward": the dots outside of
  // parentheses separate the parts.
  profile::ScopeId HierarchyOf(std::string_view text) {
    profile::ScopeId scope = profile::kRootScope;
    int open = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : '.';
      open += c == '(' ? 1 : c == ')' && open > 0 ? -1 : 0;
      if (i < text.size() && (c != '.' || open > 0)) continue;
      scope =
          scopes_.Push(scope, strings_.Intern(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    return scope;
  }

  profile::GraphTables& graph() { return context_.builder.mutable_graph(); }

  loaders::LoadContext& context_;
  profile::StringPool& strings_;
  PythonNames& python_;
  ScopeMaker& scopes_;
  KinetoEvents events_;
  bool is_unitrace_ = false;
  std::vector<std::pair<uint32_t, int64_t>> op_ids_;  // of events of the host
  std::vector<KinetoFlowEnd> launch_flows_;
  std::map<int64_t, std::string> unitrace_devices_;  // names by process
  std::string buffer_;                               // for decoded strings
  profile::StringId bytes_unit_ = profile::kNone;
  profile::StringPool counter_names_;
  profile::StringPool thread_names_;
  absl::flat_hash_map<std::tuple<int64_t, int64_t, int>, uint32_t> lanes_;
  absl::flat_hash_map<profile::StringId, profile::LaneKind> kernel_kinds_;
  // The last lookups.
  std::string_view last_category_text_;
  Category last_category_ = Category::kUnknown;
  std::string_view last_pid_, last_tid_;
  uint32_t last_thread_ = profile::kNone;
  uint32_t last_lane_ = profile::kNone;
};

}  // namespace

absl::StatusOr<KinetoFile> ScanKineto(const chrome_json::TraceInput& input,
                                      PythonNames& python, ScopeMaker& scopes,
                                      loaders::LoadContext& context) {
  return Scanner(input, python, scopes, context).Run();
}

}  // namespace tfprof::kineto
