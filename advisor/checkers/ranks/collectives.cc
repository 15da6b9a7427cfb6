// Finds one kind of collective that is much slower than the others for what it
// moves, and takes most of the communication that nothing hides.
//
// All devices of a collective end together, so a device that begins it late has
// the shortest time. The shortest sum of all devices is the time that the
// collective itself needs: waiting for a late rank does not count. If only one
// device was recorded, nobody knows how long it waited.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/ranks/collective_call.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"
#include "util/text/by_address.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace collectives {

constexpr Rule kRules[] = {
    {"slow_collective",
     "One kind of collective takes most of the exposed communication and more "
     "than the threshold of the time, and it moves its bytes more slowly, or "
     "takes longer, than other collectives.",
     "share of the device's time", "slow_collective"},
};
constexpr CheckerOption kOptions[] = {
    {"slow_collective", 0.1, "share", "Less is not reported."},
    {"most", 0.5, "share",
     "A collective with less of the exposed communication is not reported."},
    {"slower", 3, "ratio",
     "Another kind of collective must be this many times faster per byte, or "
     "per call if the bytes are not recorded."},
    {"low_bandwidth", 5, "GB/s",
     "A lower bandwidth is slow even if there is no other collective."},
};

// A kind of collective on a device.
struct Sum {
  int64_t exposed = 0;  // ticks
  int64_t time = 0;
  int64_t count = 0;
  int64_t bytes = 0;
  bool knows_bytes = true;
  std::string_view kernel;  // of its first run
  const timeline::DeviceActivity* device = nullptr;

  double per_call() const {
    return static_cast<double>(time) / static_cast<double>(count);
  }
  // Bytes for each tick; 0: unknown.
  double rate() const {
    return knows_bytes && time > 0
               ? static_cast<double>(bytes) / static_cast<double>(time)
               : 0;
  }
};

// The name of a collective without the types and arguments of its kernel.
std::string NameOf(std::string_view op) {
  return std::string(op.substr(0, op.find('(')));
}

using Sums = std::map<std::string, Sum>;

Sums SumsOf(const DeviceCheck& check, const timeline::DeviceActivity& device) {
  Sums sums;
  util::ByAddress<Sum*> of_op;
  timeline::Overlap computes(device.compute);
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.kind != timeline::RunKind::kCommunication || run.length() <= 0) {
      continue;
    }
    const std::string_view op = check.activities.Title(run);
    const auto [place, is_new] = of_op.At(op);
    if (is_new) *place = &sums[NameOf(op)];
    Sum& sum = **place;
    if (sum.count++ == 0) {
      sum.kernel = check.activities.Name(run);
      sum.device = &device;
    }
    sum.time = util::SaturatingAdd(sum.time, run.length());
    sum.exposed += run.length() - computes.Length(run.start, run.end);
  }
  return sums;
}

// Adds the bytes that the collectives of a kind moved. Reading them is slow.
void AddBytes(const DeviceCheck& check, const std::string& name, Sum& sum) {
  util::ByAddress<bool> has_name;
  for (const timeline::DeviceRun& run : sum.device->runs) {
    if (run.kind != timeline::RunKind::kCommunication || run.length() <= 0) {
      continue;
    }
    const std::string_view op = check.activities.Title(run);
    const auto [is_of_kind, is_new] = has_name.At(op);
    if (is_new) *is_of_kind = NameOf(op) == name;
    if (!*is_of_kind) continue;
    const int64_t bytes = timeline::CallOf(check.activities, run).bytes;
    sum.knows_bytes &= bytes > 0;
    sum.bytes = util::SaturatingAdd(sum.bytes, std::max<int64_t>(0, bytes));
  }
}

// What another kind of collective needs.
struct Faster {
  std::string name;
  double ratio = 0;
};

// The kind of collective that is most times faster than `slow`.
Faster FastestOther(const Sums& sums, const std::string& slow) {
  const Sum& of_slow = sums.at(slow);
  Faster fastest;
  for (const auto& [name, sum] : sums) {
    if (name == slow || sum.time <= 0) continue;
    const bool by_bytes = sum.rate() > 0 && of_slow.rate() > 0;
    const double ratio = by_bytes ? sum.rate() / of_slow.rate()
                                  : of_slow.per_call() / sum.per_call();
    if (ratio > fastest.ratio) fastest = {name, ratio};
  }
  return fastest;
}

// The device on which each kind of collective took least: the last one to
// begin.
void TakeLeast(const Sums& sums, Sums& least) {
  for (auto& [name, sum] : sums) {
    const auto [it, is_new] = least.try_emplace(name, sum);
    if (!is_new && sum.exposed < it->second.exposed) it->second = sum;
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  std::vector<const timeline::DeviceActivity*> judged;
  int64_t span = 0;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.communication.empty() ||
        device.compute.empty()) {
      continue;
    }
    judged.push_back(&device);
    span = std::max(span, timeline::Length(device.window));
  }
  const size_t devices = judged.size();
  if (devices < 2) return result;
  std::vector<Sums> of_devices(devices);
  util::ParallelFor(check.work, devices, [&](size_t i) {
    of_devices[i] = SumsOf(check, *judged[i]);
  });
  Sums least;
  for (const Sums& sums : of_devices) TakeLeast(sums, least);
  int64_t all = 0;
  for (const auto& [name, sum] : least) all += sum.exposed;
  const auto most = std::ranges::max_element(
      least, {}, [](const auto& sum) { return sum.second.exposed; });
  const auto& [name, sum] = *most;
  Finding f = ShareFinding(check, kRules[0].id, name, sum.exposed, span,
                           settings.Get("slow_collective"), sum.exposed);
  if (f.value <= f.threshold ||
      static_cast<double>(sum.exposed) <
          settings.Get("most") * static_cast<double>(all)) {
    return result;
  }
  std::vector<Sums::value_type*> kinds;
  for (auto& of_kind : least) kinds.push_back(&of_kind);
  util::ParallelFor(check.work, kinds.size(), [&](size_t i) {
    AddBytes(check, kinds[i]->first, kinds[i]->second);
  });
  const Faster faster = FastestOther(least, name);
  constexpr double kBytesPerGiga = 1e9, kMicrosPerSecond = 1e6;
  const double giga = sum.rate() * static_cast<double>(check.ticks_per_micro) *
                      kMicrosPerSecond / kBytesPerGiga;
  const bool is_slow = (giga > 0 && giga < settings.Get("low_bandwidth")) ||
                       faster.ratio >= settings.Get("slower");
  if (!is_slow) return result;
  f.severity = Finding::Severity::kWarning;
  f.evidence = "kernels";
  f.advice =
      "Send it in fewer and larger pieces, start it earlier (prefetching), or "
      "over a faster link: look at NCCL_DEBUG=INFO for its transport, ring "
      "and protocol, and at the placement of the ranks.";
  f.text = fmt::format(
      "{} is slow: it takes {} of the time of a device ({} per step, {} of the "
      "communication that nothing hides){}",
      name, util::Percent(sum.exposed, span),
      check.Time(sum.exposed / check.steps), util::Percent(sum.exposed, all),
      fmt::format(", on {} devices", devices));
  if (NameOf(sum.kernel) != name) {
    f.text += fmt::format("; its kernel is {}", NameOf(sum.kernel));
  }
  if (giga > 0) {
    f.text += fmt::format("; it moves {} per call at {:.1f} GB/s",
                          tables::BytesText(sum.bytes / sum.count), giga);
  }
  if (faster.ratio >= settings.Get("slower")) {
    f.text += fmt::format(
        "; {} is {:.0f} times faster {}", faster.name, faster.ratio,
        giga > 0 && least.at(faster.name).rate() > 0 ? "per byte" : "per call");
  }
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace collectives
}  // namespace

const Checker kCollectiveChecker = {
    "CollectiveChecker",
    "Whether one kind of collective is much slower than the others.",
    Checker::Kind::kAdvice,
    collectives::kRules,
    collectives::kOptions,
    collectives::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
