// Copies between an accelerator and the host or another accelerator. Reports
// copies during which nothing is computed, many small copies, and copies that
// use pageable memory, which the driver must copy twice.

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/framework.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace copies {

constexpr std::string_view kName = "CopyChecker";

constexpr Rule kRules[] = {
    {"exposed_copies",
     "An accelerator only copied for more than the threshold of its steps, or "
     "of all its time if calls are recorded.",
     "share of the time", "exposed"},
    {"small_copies",
     "An accelerator makes more than the threshold of small copies between it "
     "and the host in each step.",
     "copies per step", "small_copies"},
    {"pageable_copies",
     "Copies from or to pageable memory take more than the threshold of the "
     "time of an accelerator.",
     "share of the device's time", "pageable_copies"},
};
constexpr CheckerOption kOptions[] = {
    {"exposed", 0.1, "share",
     "A smaller share of copies without computation is not reported."},
    {"small_copies", 50, "count", "Fewer in each step are not reported."},
    {"small_bytes", 65536, "bytes", "A copy of fewer bytes is small."},
    {"copy_gap", 100, "us",
     "A longer gap before a small copy has other reasons until the host calls "
     "the copy."},
    {"pageable_copies", 0.01, "share", "Less is not reported."},
    kMinStep,
};

// The copies of one direction.
struct Direction {
  int64_t count = 0;
  int64_t micros = 0;
  int64_t bytes = 0;
  bool knows_bytes = true;
};

struct Device {
  StepShare exposed;
  std::array<Direction, profile::kNumCopyKinds> kinds;
  // The longest copy.
  int64_t longest = 0;
  int64_t longest_bytes = -1;
  std::string longest_name;
  bool longest_is_fed = false;  // with the feed_dict of a session
};

void AddStep(timeline::Activities& activities, const profile::Step& step,
             const ProcessStep& process, const timeline::DeviceActivity& device,
             Device& sum) {
  sum.exposed.Add(
      step, process.span,
      process.Micros(timeline::Subtract(device.copies, device.compute)));
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.kind != timeline::RunKind::kCopy) continue;
    const profile::Transfer text = activities.TransferOf(run);
    Direction& copies = sum.kinds[static_cast<size_t>(text.kind)];
    const int64_t micros = process.Micros(run.length());
    ++copies.count;
    copies.micros = util::WrapAdd(copies.micros, micros);
    copies.knows_bytes &= text.bytes >= 0;
    copies.bytes =
        util::WrapAdd(copies.bytes, std::max<int64_t>(text.bytes, 0));
    if (micros > sum.longest) {
      sum.longest = micros;
      sum.longest_bytes = text.bytes;
      sum.longest_name = activities.NodeName(run);
      sum.longest_is_fed = activities.Op(run).starts_with("Placeholder");
    }
  }
}

std::string Bytes(int64_t bytes, bool known) {
  return known ? " for " + tables::BytesText(bytes) : "";
}

Finding ExposedFinding(const std::string& name, const Device& device,
                       double threshold) {
  Finding f = device.exposed.MakeFinding("exposed_copies", threshold);
  f.subject = name;
  f.evidence = TimelineCommand(device.exposed.worst_step);
  f.advice =
      device.longest_is_fed
          ? "What is fed is copied when the step begins: read it with tf.data "
            "and prefetch_to_device(), or stage it (StagingArea) while the "
            "step before it runs."
          : "Keep tensors where they are used: place the ops on both ends of a "
            "copy on one device, prefetch input to the accelerator, fetch "
            "results less often.";
  f.text = fmt::format("{}: only copies for {}", name, device.exposed.Text());
  const char* separator = ": ";
  for (int k = 0; k < profile::kNumCopyKinds; ++k) {
    const Direction& copies = device.kinds[k];
    if (copies.count == 0) continue;
    f.text +=
        fmt::format("{}{} {} in {}{}", separator, copies.count,
                    profile::CopyKindName(static_cast<profile::CopyKind>(k)),
                    tables::FormatMicros(copies.micros),
                    Bytes(copies.bytes, copies.knows_bytes));
    separator = ", ";
  }
  f.text += fmt::format("; the longest {}{} ({})",
                        tables::FormatMicros(device.longest),
                        Bytes(device.longest_bytes, device.longest_bytes >= 0),
                        device.longest_is_fed ? device.longest_name + ", fed"
                                              : device.longest_name);
  return f;
}

void CheckExposed(const CheckerInput& input, const CheckerSettings& settings,
                  CheckResult& result) {
  const double threshold = settings.Get("exposed");
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  NoteMissing(input.views, kName, /*needs_kernels=*/false, result.notes);
  std::map<uint32_t, Device> devices;  // by unit
  ForEachProcess(
      input.views, settings.Get("min_step"),
      [&](const profile::Step& step, const ProcessStep& process) {
        for (const timeline::DeviceActivity* device : process.devices) {
          if (!device->accelerator) continue;
          AddStep(activities, step, process, *device, devices[device->unit]);
        }
      });
  for (const auto& [unit, device] : devices) {
    if (device.exposed.share() <= threshold) continue;
    result.findings.push_back(
        ExposedFinding(activities.units()[unit].name, device, threshold));
  }
}

struct Copies {
  int64_t count = 0;
  int64_t time = 0;
  int64_t bytes = 0;
  int64_t to_host = 0, to_device = 0;  // of the time
  int64_t to_peers = 0;                // of the count
  // Large ones to the device, before each of which a kernel ran.
  int64_t between_kernels = 0;
  TimeSums ops;  // counts
  TimeSums times;
  LineSums lines;
  timeline::Intervals busy;
  // The start of each and of its call on the host, by start. Without a call,
  // both are the same.
  std::vector<std::pair<int64_t, int64_t>> starts;

  void Add(const DeviceCheck& check, const timeline::DeviceRun& run,
           int64_t run_bytes, bool run_to_host) {
    ++count;
    time = util::WrapAdd(time, run.length());
    bytes = util::SaturatingAdd(bytes, run_bytes);
    ops.Add(check.activities.Op(run), 1);
    times.Add(check.activities.Op(run), run.length());
    lines.Add(check, run.node, run.length());
    (run_to_host ? to_host : to_device) += run.length();
    if (run.length() > 0) timeline::AddInterval(busy, run.start, run.end);
  }
  void AddStart(const timeline::DeviceActivity& device,
                const timeline::DeviceRun& run) {
    starts.emplace_back(run.start, run.launch == profile::kNone
                                       ? run.start
                                       : device.launches[run.launch].start);
  }
};

// The idle gaps of a device that end with one of `copies`. Of a long gap, only
// the time in which the host is in the call of the copy belongs to it: before
// that, the host did something else, such as reading input. Between two copies
// it also takes back the first one.
timeline::Intervals IdleBefore(const timeline::DeviceActivity& device,
                               const Copies& copies, int64_t longest) {
  constexpr int64_t kBetweenCopies = 10;  // times as long
  std::vector<int64_t> ends;
  for (const timeline::Interval& of : copies.busy) ends.push_back(of.end);
  timeline::Intervals idle;
  for (size_t i = 1; i < device.busy.size(); ++i) {
    const timeline::Interval gap = {device.busy[i - 1].end,
                                    device.busy[i].start};
    const auto copy = std::ranges::lower_bound(
        copies.starts, gap.end, {}, &std::pair<int64_t, int64_t>::first);
    if (copy == copies.starts.end() || copy->first != gap.end) continue;
    const bool between = std::ranges::binary_search(ends, gap.start);
    const int64_t start =
        gap.length() <= longest * (between ? kBetweenCopies : 1)
            ? gap.start
            : std::max(gap.start, copy->second);
    if (start < gap.end) timeline::AddInterval(idle, start, gap.end);
  }
  return idle;
}

Finding SmallFinding(const DeviceCheck& check,
                     const timeline::DeviceActivity& device,
                     const Copies& small, double per_step,
                     const CheckerSettings& settings) {
  const timeline::Intervals* steps = check.StepTime(device);
  const int64_t span =
      timeline::Length(steps == nullptr ? device.window : *steps);
  // The copies themselves, and the time the host needs to prepare each.
  const int64_t lost = check.InSteps(
      device,
      timeline::Union(
          timeline::Subtract(small.busy, timeline::Union(device.compute,
                                                         device.communication)),
          IdleBefore(device, small, check.Ticks(settings.Get("copy_gap")))));
  Finding f;
  f.rule = "small_copies";
  f.severity = span > 0 && lost > span / 2 ? Finding::Severity::kCritical
                                           : Finding::Severity::kWarning;
  f.subject = check.Name(device.unit);
  f.value = per_step;
  f.threshold = settings.Get("small_copies");
  f.saving_micros = check.MicrosPerStep(lost);
  f.evidence = "kernels";
  f.advice = "Keep values on the device, or move several of them in one copy.";
  f.text = fmt::format(
      "{}: {:.0f} copies between it and the host in each step move fewer than "
      "{} each; they and the gaps before them take {} of {}; most are of {}",
      f.subject, per_step,
      tables::BytesText(static_cast<int64_t>(settings.Get("small_bytes"))),
      check.Time(lost), check.Time(span), small.ops.Counts());
  return f;
}

void CheckPageable(const DeviceCheck& check,
                   const timeline::DeviceActivity& device,
                   const Copies& pageable, const CheckerSettings& settings,
                   CheckResult& result) {
  const int64_t span = timeline::Length(device.window);
  // Copies that overlap kernels cost nothing.
  const timeline::Intervals exposed = timeline::Subtract(
      pageable.busy, timeline::Union(device.compute, device.communication));
  Finding f = ShareFinding(check, "pageable_copies", check.Name(device.unit),
                           timeline::Length(pageable.busy), span,
                           settings.Get("pageable_copies"),
                           check.InSteps(device, exposed));
  if (f.value <= f.threshold) return;
  f.evidence = "kernels";
  f.advice =
      timeline::FrameworkOf(check.profile()) == timeline::Framework::kTorch
          ? (pageable.to_host > pageable.to_device
                 ? "Copy into pinned memory of the host (a tensor with "
                   "pin_memory=True, copy_(…, non_blocking=True)), or keep the "
                   "tensors on the device: it is faster, and runs beside "
                   "kernels."
                 : "Pin the host's memory (pin_memory=True in the DataLoader) "
                   "and copy with non_blocking=True: it is faster, and runs "
                   "beside kernels.")
          : "Copy from pinned memory of the host: it is faster, and runs "
            "beside kernels.";
  // Input is copied before a step; what is copied again and again between its
  // kernels stays on the host for lack of memory.
  constexpr int64_t kTimesPerStep = 4, kCopiesPerStep = 16;
  if (pageable.between_kernels >= kTimesPerStep * check.steps &&
      pageable.count >= kCopiesPerStep * check.steps &&
      pageable.to_device > pageable.to_host) {
    f.advice =
        "Such copies between the kernels of a step are those of weights or "
        "caches that are kept on the host: keep them on the device (quantize "
        "them, use more devices), or copy those of the next layer from pinned "
        "memory while this one computes.";
  }
  const std::string lines = pageable.lines.Times(check);
  f.text = fmt::format(
      "{}: copies from or to pageable memory ({} in all) take {} of its time "
      "({} "
      "of {}) and move {}; most of it {}{}{}",
      f.subject, tables::FormatCount(pageable.count),
      util::Percent(timeline::Length(pageable.busy), span),
      check.Time(pageable.time), check.Time(span),
      tables::BytesText(pageable.bytes), pageable.times.Times(check),
      lines.empty() ? "" : "; at ", lines);
  result.findings.push_back(std::move(f));
}

// Reports copies that are neither small nor pageable.
void CheckOthers(const DeviceCheck& check,
                 const timeline::DeviceActivity& device, const Copies& others,
                 const CheckerSettings& settings, CheckResult& result) {
  const int64_t span = timeline::Length(device.window);
  const timeline::Intervals alone = timeline::Subtract(
      others.busy, timeline::Union(device.compute, device.communication));
  const int64_t exposed = timeline::Length(alone);
  Finding f =
      ShareFinding(check, "exposed_copies", check.Name(device.unit), exposed,
                   span, settings.Get("exposed"), check.InSteps(device, alone));
  if (f.value <= f.threshold) return;
  f.evidence = "kernels";
  f.advice =
      others.to_peers * 2 > others.count
          ? "Computation waits for these copies: keep layers that exchange "
            "much on one device, or start the copies earlier, on a stream of "
            "their own."
          : "Computation waits for these copies: copy less to and from the "
            "host (offload fewer tensors, or recompute them), or start the "
            "copies earlier, on a stream of their own.";
  f.text = fmt::format(
      "{}: only copies for {} of its time ({} of {}): copies between it and {} "
      "({} in all) move {}, and computation waits for them; most are of {}",
      f.subject, util::Percent(exposed, span), check.Time(exposed),
      check.Time(span),
      others.to_peers == 0              ? "the host"
      : others.to_peers == others.count ? "other devices"
                                        : "the host or other devices",
      tables::FormatCount(others.count), tables::BytesText(others.bytes),
      others.ops.Counts());
  result.findings.push_back(std::move(f));
}

bool IsPageable(std::string_view memory) {
  return memory == "Pageable" || memory == "pageable";
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  Copies small, pageable, others;
  const double limit = settings.Get("small_bytes");
  bool worked = false;  // since the last copy
  for (const timeline::DeviceRun& run : device.runs) {
    worked |= run.kind == timeline::RunKind::kCompute;
    if (run.kind != timeline::RunKind::kCopy) continue;
    const std::string_view name = check.activities.Name(run);
    const profile::Transfer transfer = check.activities.TransferOf(run);
    const bool by_host = transfer.kind == profile::CopyKind::kToDevice ||
                         transfer.kind == profile::CopyKind::kToHost ||
                         name.find("HtoD") != name.npos ||
                         name.find("DtoH") != name.npos;
    const bool is_small = by_host && transfer.bytes >= 0 &&
                          static_cast<double>(transfer.bytes) < limit;
    const bool is_pageable =
        IsPageable(transfer.from) || IsPageable(transfer.to);
    const int64_t bytes = std::max<int64_t>(transfer.bytes, 0);
    const bool to_host = transfer.kind == profile::CopyKind::kToHost ||
                         name.find("DtoH") != name.npos;
    if (is_small && check.IsInSteps(device, run.start)) {
      small.Add(check, run, bytes, to_host);
      small.AddStart(device, run);
    }
    if (is_pageable) {
      pageable.Add(check, run, bytes, to_host);
      constexpr int64_t kLarge = 1 << 20;
      if (!to_host && bytes >= kLarge && std::exchange(worked, false)) {
        ++pageable.between_kernels;
      }
    }
    const bool to_peer = transfer.kind == profile::CopyKind::kToPeer ||
                         name.find("PtoP") != name.npos;
    if ((by_host || to_peer) && !is_small && !is_pageable) {
      others.Add(check, run, bytes, to_host);
      others.to_peers += to_peer;
    }
  }
  const double per_step =
      static_cast<double>(small.count) / static_cast<double>(check.steps);
  if (per_step > settings.Get("small_copies")) {
    result.findings.push_back(
        SmallFinding(check, device, small, per_step, settings));
  }
  CheckPageable(check, device, pageable, settings, result);
  // CheckExposed() judges processes whose ops are recorded one by one.
  if (!check.RecordsSingleOps(check.activities.units()[device.unit].process)) {
    CheckOthers(check, device, others, settings, result);
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  CheckExposed(input, settings, result);
  CheckResult of_devices =
      EachAccelerator(OpenDevices(input), settings, CheckDevice);
  std::ranges::move(of_devices.findings, std::back_inserter(result.findings));
  return result;
}

}  // namespace copies
}  // namespace

const Checker kCopyChecker = {
    copies::kName,
    "Whether accelerators wait for copies, make many small ones, or copy "
    "pageable memory.",
    Checker::Kind::kAdvice,
    copies::kRules,
    copies::kOptions,
    copies::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
