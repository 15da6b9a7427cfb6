// Finds communication that no computation hides: a process receives, sends or
// reduces while none of its devices computes, or an accelerator communicates
// and computes nothing. Also finds the slowest links.

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
#include "timeline/account/account.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/collective_call.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace overlap {

constexpr std::string_view kName = "OverlapChecker";
constexpr size_t kTop = 3;

// The first two rules judge steps of processes whose ops are recorded one by
// one; the last one judges accelerators of processes that record calls.
constexpr Rule kRules[] = {
    {"exposed_communication",
     "A process only communicated for more than the threshold of its steps.",
     "share of the step", "exposed", Rule::Says::kWhoWaits},
    {"slow_link",
     "The transfers that took longest, where exposed_communication fires.",
     "microseconds per step"},
    {"communication_overlap",
     "An accelerator communicates and computes nothing meanwhile, for more "
     "than the threshold of its time.",
     "share of the device's time", "communication_overlap",
     Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"exposed", 0.15, "share",
     "A smaller share of communication without computation is not reported."},
    {"communication_overlap", 0.1, "share", "Less is not reported."},
    {"short", 100, "us", "An exchange that takes less is short."},
    {"many_short", 20, "count",
     "Fewer short exchanges per step are not named."},
    kMinStep,
};

// The transfers from one device to another, or of one kind of op if its record
// names no devices.
struct Link {
  int64_t count = 0;
  int64_t micros = 0;  // sum of all; overlapping ones count in full
  int64_t longest = 0;
  std::string longest_tensor;
  int64_t bytes = 0;
  bool knows_bytes = true;
};

struct ProcessSum {
  StepShare exposed;
  std::map<std::string, Link> links;
  OpSums ops;  // microseconds of communication
};

void AddRun(timeline::Activities& activities, const ProcessStep& process,
            const timeline::DeviceRun& run, ProcessSum& sum) {
  const profile::Transfer text = activities.TransferOf(run);
  std::string name;
  if (text.from.empty()) {
    name =
        fmt::format("{} on {}", activities.Op(run), activities.DeviceName(run));
  } else {
    const std::string to = text.to.empty()
                               ? std::string(activities.DeviceName(run))
                               : util::LowerCase(text.to);
    // The label of a _Send also names the device at the other end.
    const bool sends =
        activities.Op(run).find("Send") != std::string_view::npos;
    const std::string from = util::LowerCase(text.from);
    name = fmt::format("from {} to {}", sends ? to : from, sends ? from : to);
  }
  const int64_t micros = process.Micros(run.length());
  Link& link = sum.links[name];
  ++link.count;
  link.micros = util::WrapAdd(link.micros, micros);
  if (micros > link.longest) {
    link.longest = micros;
    link.longest_tensor =
        text.tensor.empty() ? activities.NodeName(run) : text.tensor;
  }
  link.knows_bytes &= text.bytes >= 0;
  link.bytes = util::WrapAdd(link.bytes, std::max<int64_t>(text.bytes, 0));
}

void AddStep(timeline::Activities& activities, const profile::Step& step,
             const ProcessStep& process, ProcessSum& sum) {
  timeline::UnionOfMany all_communication, all_compute;
  for (const timeline::DeviceActivity* device : process.devices) {
    all_communication.Add(device->communication);
    // Without kernel records, launches count as the work of the accelerator.
    all_compute.Add(device->accelerator && device->compute.empty()
                        ? device->launching
                        : device->compute);
  }
  sum.exposed.Add(
      step, process.span,
      process.Micros(timeline::Subtract(std::move(all_communication).Take(),
                                        std::move(all_compute).Take())));
  for (const timeline::DeviceActivity* device : process.devices) {
    for (const timeline::DeviceRun& run : device->runs) {
      if (run.kind == timeline::RunKind::kCommunication && run.length() > 0) {
        AddRun(activities, process, run, sum);
        int64_t& of_op = sum.ops[activities.Op(run)];
        of_op = util::WrapAdd(of_op, process.Micros(run.length()));
      }
    }
  }
}

Finding ExposedFinding(const std::string& name, const ProcessSum& sum,
                       double threshold) {
  Finding f = sum.exposed.MakeFinding("exposed_communication", threshold);
  f.subject = name;
  f.evidence = TimelineCommand(sum.exposed.worst_step);
  f.advice =
      "Overlap communication with computation: request tensors earlier, keep "
      "what every step needs on the device that needs it, send less at once. "
      "A receive's time includes waiting for its producer, so look at what "
      "the sender did then.";
  f.text = fmt::format("{}: only communicates for {}", f.subject,
                       sum.exposed.Text());
  if (!sum.ops.empty()) {
    f.text += fmt::format("; in sum {}", LargestText(sum.ops, sum.exposed.steps,
                                                     /*micros=*/true));
  }
  return f;
}

Finding LinkFinding(const std::string& task, const std::string& name,
                    const Link& link, const StepShare& exposed) {
  Finding f;
  f.rule = "slow_link";
  f.subject = task;
  f.value =
      static_cast<double>(link.micros) / static_cast<double>(exposed.steps);
  f.evidence = TimelineCommand(exposed.worst_step);
  f.text = fmt::format(
      "{}: {} transfer{}, {} in all{}, the longest {} ({})", name, link.count,
      link.count == 1 ? "" : "s", tables::FormatMicros(link.micros),
      link.knows_bytes ? fmt::format(" for {}", tables::BytesText(link.bytes))
                       : "",
      tables::FormatMicros(link.longest), link.longest_tensor);
  return f;
}

void CheckSteps(const CheckerInput& input, const CheckerSettings& settings,
                CheckResult& result) {
  const double threshold = settings.Get("exposed");
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  const profile::LaneTable& lanes = activities.profile().lanes();
  std::map<profile::ProcessId, ProcessSum> processes;
  ForEachProcess(input.views, settings.Get("min_step"),
                 [&](const profile::Step& step, const ProcessStep& process) {
                   if (process.process != profile::kNone &&
                       lanes.process(process.process).parameter_server) {
                     return;
                   }
                   AddStep(activities, step, process,
                           processes[process.process]);
                 });
  for (const auto& [id, sum] : processes) {
    if (sum.exposed.share() <= threshold) continue;
    const std::string& name = ProcessTitle(activities, id);
    result.findings.push_back(ExposedFinding(name, sum, threshold));
    std::vector<std::pair<const std::string*, const Link*>> links;
    for (const auto& [link_name, link] : sum.links) {
      links.push_back({&link_name, &link});
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const auto& a, const auto& b) {
                       return a.second->micros > b.second->micros;
                     });
    for (size_t i = 0; i < links.size() && i < kTop; ++i) {
      result.findings.push_back(
          LinkFinding(name, *links[i].first, *links[i].second, sum.exposed));
    }
  }
}

// Exchanges of one kind that nothing hides.
struct Exchanges {
  struct Call {
    int64_t bytes = 0, length = 0, exposed = 0;  // times in ticks
  };
  std::vector<Call> calls;

  // How much longer the calls took than at the rate of the fastest tenth of
  // them. All members of an exchange end together, so one that is recorded at
  // full rate now and takes much longer then waited for another member.
  int64_t Excess(int64_t least_ticks) const {
    constexpr size_t kTenth = 10;
    if (calls.size() < kTenth) return 0;
    std::vector<double> rates;  // ticks for each byte
    for (const Call& call : calls) {
      rates.push_back(static_cast<double>(call.length) /
                      static_cast<double>(call.bytes));
    }
    const auto best =
        rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / kTenth);
    std::ranges::nth_element(rates, best);
    int64_t excess = 0;
    for (const Call& call : calls) {
      const int64_t usual =
          std::max(least_ticks,
                   util::ToInteger(*best * static_cast<double>(call.bytes)));
      excess = util::SaturatingAdd(
          excess, std::clamp<int64_t>(call.length - usual, 0, call.exposed));
    }
    return excess;
  }
};

// The part of exposed communication in which the device, as far as the rates of
// its exchanges show it, waited for a rank that was not recorded.
int64_t WaitForOthers(const DeviceCheck& check,
                      const timeline::DeviceActivity& device,
                      const timeline::Intervals& exposed, int64_t least_ticks) {
  std::map<std::string_view, Exchanges> of_kind;
  timeline::Overlap inside(exposed);
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.kind != timeline::RunKind::kCommunication) continue;
    if (run.length() <= 0) continue;
    // Hidden exchanges show the rate, too.
    const int64_t of_run = inside.Length(run.start, run.end);
    const int64_t bytes = timeline::CallOf(check.activities, run).bytes;
    if (bytes <= 0) return 0;
    of_kind[check.activities.Title(run)].calls.push_back(
        {bytes, run.length(), of_run});
  }
  int64_t excess = 0;
  for (const auto& [kind, exchanges] : of_kind) {
    excess = util::SaturatingAdd(excess, exchanges.Excess(least_ticks));
  }
  return excess;
}

// Says how long a device waits for ranks that are not in the files.
void AddWait(const DeviceCheck& check, int64_t wait, int64_t missing,
             int64_t exposed, Finding& f) {
  constexpr int64_t kPart = 4;
  const int64_t recorded = check.profile().lanes().num_processes();
  const std::string ranks =
      missing > 0 ? timeline::MissingRanksText(missing, recorded)
                  : "the other ranks of the job are not in the files";
  if (wait > exposed / kPart) {
    f.text += fmt::format(
        "; {} of it per step is waiting: the same exchanges take less when the "
        "other ranks are ready",
        tables::FormatMicros(check.MicrosPerStep(wait)));
    f.advice = fmt::format(
        "Another rank is late, or its link is slow; {}. Record all ranks and "
        "open their folder to see which one it is.",
        ranks);
  }
  if (missing == 0) return;
  f.text += fmt::format("; {}", ranks);
  if (wait <= exposed / kPart) {
    f.advice = fmt::format(
        "Record all ranks: only then a late one can be told from a slow link. "
        "{}",
        f.advice);
  }
}

// Whether only one accelerator communicates: its partners are elsewhere.
bool IsAlone(const DeviceCheck& check) {
  return std::ranges::count_if(check.activity->devices,
                               [](const timeline::DeviceActivity& device) {
                                 return device.accelerator &&
                                        !device.communication.empty();
                               }) == 1;
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  timeline::Intervals communication = device.communication;
  if (check.profile().lanes().num_processes() > 1) {
    // Stages of a pipeline are for StageWaitChecker.
    timeline::Intervals peers;
    for (const timeline::DeviceRun& run : device.runs) {
      if (timeline::IsPeerTransfer(check.activities, run)) {
        timeline::AddInterval(peers, run.start, run.end);
      }
    }
    communication = timeline::Subtract(communication, peers);
  }
  const timeline::Intervals exposed =
      timeline::Subtract(communication, device.compute);
  const int64_t time = timeline::Length(exposed);
  const int64_t span = timeline::Length(device.window);
  Finding f = ShareFinding(
      check, "communication_overlap", check.Name(device.unit), time, span,
      settings.Get("communication_overlap"), check.InSteps(device, exposed));
  if (f.value <= f.threshold) return;
  timeline::Overlap inside(exposed);
  TimeSums ops;
  int64_t short_runs = 0, in_short = 0;
  const int64_t short_limit = check.Ticks(settings.Get("short"));
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.kind != timeline::RunKind::kCommunication) continue;
    const int64_t of_run = inside.Length(run.start, run.end);
    if (of_run <= 0) continue;
    ops.Add(check.activities.Title(run), of_run);
    if (run.length() < short_limit) {
      ++short_runs;
      in_short = util::WrapAdd(in_short, of_run);
    }
  }
  const int64_t short_per_step = short_runs / check.steps;
  const bool are_small =
      static_cast<double>(short_per_step) > settings.Get("many_short") &&
      in_short > time / 2;
  f.evidence = "devices";
  // The computation beside which more communication could run.
  const timeline::Intervals free =
      timeline::Subtract(device.compute, communication);
  const bool fits = timeline::Length(free) >= time / 2;
  f.advice = fmt::format(
      "{} A rank that is late makes the others wait too: see rank_skew.",
      are_small
          ? "Exchange more at a time: larger gradient buckets "
            "(bucket_cap_mb), several tensors in one call. A short exchange "
            "takes as long as its start."
      : fits
          ? "Start communication earlier and in parts (gradient buckets, "
            "prefetching of shards), so that it runs beside computation."
          : fmt::format(
                "Computation can hide at most {} of it: send less (other "
                "shards, 16-bit gradients, fewer exchanges), and look at the "
                "rate of the links (collectives, NCCL_DEBUG=INFO).",
                check.Time(timeline::Length(free))));
  const int64_t all = timeline::Length(communication);
  f.text = fmt::format(
      "{}: communicates and computes nothing for {} of its time ({} of {}); "
      "{} of the communication is hidden; most of it {}",
      f.subject, util::Percent(time, span), check.Time(time), check.Time(span),
      util::Percent(all - time, all), ops.Times(check));
  if (are_small) {
    f.text +=
        fmt::format("; {} exchanges per step are shorter than {}us",
                    tables::FormatCount(short_per_step), settings.Get("short"));
  }
  const profile::LaneTable& lanes = check.profile().lanes();
  const int64_t missing = timeline::MissingRanks(lanes);
  // Reading the bytes of all exchanges takes long, so this is done only if
  // other ranks are known, or may be expected.
  if (missing > 0 || (lanes.num_processes() < 2 && IsAlone(check))) {
    AddWait(check, WaitForOthers(check, device, exposed, short_limit), missing,
            time, f);
  }
  result.findings.push_back(std::move(f));
}

// Time in which a rank waits for a late one is no communication: the rule
// late_rank names the late rank. Drops findings for which not enough is left.
void LeaveOutLateRanks(const CheckerInput& input,
                       const CheckerSettings& settings, CheckResult& result) {
  if (result.findings.empty() ||
      input.views.profile().lanes().num_processes() < 2) {
    return;
  }
  const DeviceCheck check = OpenDevices(input);
  std::vector<const profile::Step*> steps;
  for (const auto& step : check.profile().steps()) {
    if (step->listed && !step->aggregated) steps.push_back(step.get());
  }
  if (steps.empty()) return;
  std::map<std::string, int64_t> late;  // by device
  for (const timeline::StepAccount* account :
       timeline::AccountsOf(input.views, steps)) {
    for (const timeline::DeviceAccount& device : account->devices) {
      int64_t& sum = late[check.Name(device.unit)];
      sum = util::SaturatingAdd(sum, device[timeline::Part::kLateRank].ticks);
    }
  }
  const double threshold = settings.Get("communication_overlap");
  std::erase_if(result.findings, [&](Finding& f) {
    const int64_t micros = check.MicrosPerStep(late[f.subject]);
    if (micros <= 0 || f.saving_micros <= 0) return false;
    const double left =
        1 - static_cast<double>(micros) / static_cast<double>(f.saving_micros);
    f.value *= std::max(0.0, left);
    f.saving_micros = std::max<int64_t>(0, f.saving_micros - micros);
    f.text += fmt::format("; {} of it per step is waiting for late ranks",
                          tables::FormatMicros(micros));
    return f.value <= threshold;
  });
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result = CheckAccelerators(input, settings, CheckDevice);
  LeaveOutLateRanks(input, settings, result);
  NoteMissing(input.views, kName, /*needs_kernels=*/false, result.notes);
  CheckSteps(input, settings, result);
  return result;
}

}  // namespace overlap
}  // namespace

const Checker kOverlapChecker = {
    overlap::kName,         "Whether communication runs beside computation.",
    Checker::Kind::kAdvice, overlap::kRules,
    overlap::kOptions,      overlap::Check,
    Checker::Needs::kTimes};

}  // namespace tfprof::advisor
