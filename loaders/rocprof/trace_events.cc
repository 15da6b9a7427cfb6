#include "loaders/rocprof/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "loaders/nodes/communication_kernels.h"
#include "util/text/ascii.h"
#include "util/text/counted.h"

namespace tfprof::rocprof {
namespace {

constexpr std::string_view kNoName = "(no name)";
constexpr std::string_view kNoTimes = "event without its times";
// How much of a wrong text a message shows.
constexpr size_t kMostShown = 40;

}  // namespace

TraceEvents::TraceEvents(std::shared_ptr<const loaders::InputFile> file,
                         loaders::LoadContext& context)
    : log_(context.log), strings_(context.builder.mutable_graph().strings) {
  trace_.file = std::move(file);
}

std::optional<uint32_t> TraceEvents::AddHost(const gpu_trace::Times& times,
                                             uint32_t thread,
                                             std::string_view name,
                                             gpu_trace::HostKind kind) {
  if (!Fits(times)) {
    ++dropped_;
    return {};
  }
  const profile::StringId text = strings_.Intern(name.empty() ? kNoName : name);
  trace_.host.push_back({.start = *times.start,
                         .end = *times.end,
                         .op = text,
                         .text = text,
                         .thread = thread,
                         .kind = kind});
  return static_cast<uint32_t>(trace_.host.size() - 1);
}

std::optional<uint32_t> TraceEvents::AddWork(const gpu_trace::Times& times,
                                             std::string_view name,
                                             gpu_trace::WorkLane lane,
                                             int64_t bytes) {
  if (!Fits(times)) {
    ++dropped_;
    return {};
  }
  const profile::StringId id = strings_.Intern(name.empty() ? kNoName : name);
  if (lane.kind == profile::LaneKind::kKernels && IsCommunication(id)) {
    lane.kind = profile::LaneKind::kCommunication;
  }
  trace_.work.push_back({.start = *times.start,
                         .end = *times.end,
                         .name = id,
                         .lane = trace_.Lane(lane),
                         .bytes = bytes});
  return static_cast<uint32_t>(trace_.work.size() - 1);
}

void TraceEvents::SetCopy(std::string_view direction,
                          std::optional<bool> same_device) {
  // MEMORY_COPY_HOST_TO_DEVICE of rocprofv3, CopyHostToDevice of rpd.
  std::string word = util::LowerCase(direction);
  std::erase(word, '_');
  const auto has = [&](std::string_view part) {
    return word.find(part) != word.npos;
  };
  profile::CopyKind& copy = trace_.work.back().copy;
  if (has("hosttodevice")) {
    copy = profile::CopyKind::kToDevice;
  } else if (has("devicetohost")) {
    copy = profile::CopyKind::kToHost;
  } else if (has("devicetodevice") && same_device) {
    copy = *same_device ? profile::CopyKind::kOnDevice
                        : profile::CopyKind::kToPeer;
  }
}

void TraceEvents::Drop(std::string_view path, size_t offset,
                       std::string_view kind, std::string_view found,
                       std::string_view expected) {
  if (!log_.WantsText(kind)) {
    return log_.Count(loaders::ImportLog::kDamage, kind, 1);
  }
  log_.Add(loaders::ImportLog::kDamage, kind,
           fmt::format("{}: byte {}: found {}, expected {}; skipped, record "
                       "again if it matters",
                       path, offset, found, expected));
}

void TraceEvents::DropNumber(std::string_view path, size_t offset,
                             std::string_view found) {
  Drop(path, offset, "event with a number that is none",
       fmt::format("'{}'", found.substr(0, kMostShown)),
       "an integer from 0 to 2^64 - 1");
}

bool TraceEvents::Check(std::string_view path, size_t offset,
                        const gpu_trace::Times& times) {
  if (Fits(times)) return true;
  const auto shown = [](std::optional<int64_t> time) {
    return time ? std::to_string(*time) : std::string("no time");
  };
  Drop(path, offset, kNoTimes,
       fmt::format("an event from {} to {}", shown(times.start),
                   shown(times.end)),
       "a start and an end that is not before it, below 2^63");
  return false;
}

gpu_trace::GpuTrace TraceEvents::Take() {
  if (dropped_ > 0) {
    log_.Add(loaders::ImportLog::kDamage, kNoTimes,
             fmt::format("{}: skipped {} without a start or end that is a "
                         "number, or with an end before the start",
                         trace_.file->path(), util::Counted(dropped_, "row")),
             dropped_);
  }
  return std::move(trace_);
}

bool TraceEvents::IsCommunication(profile::StringId name) {
  const auto [it, is_new] = communication_.try_emplace(name, false);
  if (is_new) it->second = loaders::IsCommunicationKernel(strings_.Get(name));
  return it->second;
}

}  // namespace tfprof::rocprof
