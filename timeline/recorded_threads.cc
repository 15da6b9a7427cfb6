#include "timeline/recorded_threads.h"

#include "fmt/format.h"
#include "util/files/wire.h"

namespace tfprof::timeline {
namespace {

constexpr uint32_t kThreadId = util::VarintTag(10);    // in NodeExecStats
constexpr uint32_t kDevice = util::LengthTag(1);       // in StepStats
constexpr uint32_t kDeviceName = util::LengthTag(1);   // in DeviceStepStats
constexpr uint32_t kThreadNames = util::LengthTag(3);  // in DeviceStepStats
constexpr uint32_t kKey = util::VarintTag(1);          // in an entry of a map
constexpr uint32_t kValue = util::LengthTag(2);

}  // namespace

int64_t ThreadOfRecord(const profile::Profile& profile,
                       profile::RecordRef record) {
  int64_t thread = 0;
  for (util::WireReader r(profile.NodeExecStats(record)); r.Next();) {
    if (r.tag() == kThreadId) thread = r.int64();
  }
  return thread;
}

RecordedThreads::RecordedThreads(const profile::Profile& profile,
                                 const profile::Step& step) {
  for (const std::string_view message : profile.StepStats(step)) {
    for (util::WireReader devices(message); devices.Next();) {
      if (devices.tag() != kDevice) continue;
      std::string_view device;
      for (util::WireReader r(devices.view()); r.Next();) {
        if (r.tag() == kDeviceName) device = r.view();
      }
      for (util::WireReader r(devices.view()); r.Next();) {
        if (r.tag() != kThreadNames) continue;
        int64_t thread = 0;
        std::string_view name;
        for (util::WireReader entry(r.view()); entry.Next();) {
          if (entry.tag() == kKey) thread = entry.int64();
          if (entry.tag() == kValue) name = entry.view();
        }
        if (!name.empty()) names_[{device, thread}] = name;
      }
    }
  }
}

std::string RecordedThreads::NameOf(std::string_view device,
                                    int64_t thread) const {
  const auto found = names_.find({device, thread});
  return found == names_.end() ? fmt::format("thread {}", thread)
                               : std::string(found->second);
}

}  // namespace tfprof::timeline
