// Checks the jobs of a cluster: where parameters are, how evenly the parameter
// servers work, and which share of a job's steps moves tensors.
//
// The reference mentions a JobChecker and never published it. A parameter is a
// variable that ran; its size follows from its shape. If an op log marks
// trainable variables, only those must be on parameter servers: counters and
// queues belong to workers.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/median.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace job {

constexpr std::string_view kName = "JobChecker";

constexpr Rule kRules[] = {
    {"parameters_on_one_ps",
     "Of several parameter servers, one holds all parameters.",
     "share of the bytes"},
    {"ps_bytes",
     "A parameter server holds this many times the mean of parameter bytes, or "
     "more.",
     "ratio to the mean", "ps_bytes"},
    {"ps_time", "A parameter server is busy this many times the mean, or more.",
     "ratio", "ps_time"},
    {"parameters_on_workers",
     "This share of the parameter bytes, or more, is not on parameter servers.",
     "share of the bytes", "on_workers"},
    {"transfers",
     "What share of a job's step passes while tensors are sent or received.",
     "share of the step", "transfers"},
};
constexpr CheckerOption kOptions[] = {
    {"ps_bytes", 1.5, "ratio", "Less uneven bytes are not reported."},
    {"ps_time", 1.5, "ratio", "Less uneven busy times are not reported."},
    {"on_workers", 0.1, "share",
     "A smaller share outside parameter servers is not reported."},
    {"transfers", 0.1, "share", "A smaller share is not mentioned."},
    {"min_bytes", 1e6, "bytes", "Fewer parameter bytes are not compared."},
    {"min_micros", 1000, "us",
     "Smaller differences of busy time per step are not reported."},
};

constexpr std::string_view kVariableOps[] = {
    "AutoReloadVariable", "VarHandleOp", "Variable", "VariableV2"};

// The bytes of an element by its DataType; 4 for unknown types.
int64_t ElementBytes(uint8_t type) {
  switch (type) {
    case 2:   // DOUBLE
    case 8:   // COMPLEX64
    case 9:   // INT64
    case 23:  // UINT64
      return 8;
    case 4:   // UINT8
    case 6:   // INT8
    case 10:  // BOOL
    case 11:  // QINT8
    case 12:  // QUINT8
      return 1;
    case 5:   // INT16
    case 14:  // BFLOAT16
    case 17:  // UINT16
    case 19:  // HALF
      return 2;
    case 18:  // COMPLEX128
      return 16;
    default:
      return 4;
  }
}

struct TaskState {
  int64_t parameter_bytes = 0;
  int64_t trainable_bytes = 0;
  int64_t busy = 0;
};

class JobCheck {
 public:
  JobCheck(views::Views& views, const CheckerSettings& settings,
           CheckResult& result)
      : profile_(views.profile()),
        activities_(views.Kept<timeline::Activities>()),
        lanes_(profile_.lanes()),
        settings_(settings),
        result_(result),
        states_(lanes_.num_processes()) {}

  void Run(views::Views& views) {
    int named = 0;
    for (profile::ProcessId t = 0; t < lanes_.num_processes(); ++t) {
      named += !lanes_.process(t).job.empty();
      if (lanes_.process(t).parameter_server) servers_.push_back(t);
    }
    if (named < 2) return;
    NoteMissing(views, kName, /*needs_kernels=*/false, result_.notes);
    ReadParameters();
    ReadTimes();
    if (servers_.size() > 1) {
      if (!CheckBytes()) CheckBusy();
    }
    if (!servers_.empty()) CheckWorkers();
    AddTransfers();
  }

 private:
  // The element type of a variable.
  int64_t ElementBytesOf(profile::NodeId n) const {
    for (const auto& [key, value] : profile_.Attributes(n)) {
      // An AttrValue whose `type` (field 6) is a number of one byte.
      if (key == "dtype" && value.size() == 2 && value[0] == '\x30') {
        return ElementBytes(static_cast<uint8_t>(value[1]));
      }
    }
    return ElementBytes(0);
  }

  void ReadParameters() {
    const profile::NodeTable& nodes = profile_.nodes();
    std::vector<profile::StringId> ops;
    for (const std::string_view op : kVariableOps) {
      const profile::StringId id = profile_.strings().Find(op);
      if (id != profile::kNone) ops.push_back(id);
    }
    const profile::StringId trainable =
        profile_.strings().Find("_trainable_variables");
    for (profile::NodeId n = 0; n < nodes.size(); ++n) {
      const profile::DeviceId device = nodes.device[n];
      if (device == profile::kNone ||
          std::find(ops.begin(), ops.end(), nodes.op[n]) == ops.end()) {
        continue;
      }
      const int64_t bytes = util::WrapMul(
          profile_.graph().shapes.Parameters(nodes.parameter_shape[n]),
          ElementBytesOf(n));
      if (bytes <= 0) continue;
      const uint32_t unit = activities_.unit_of_device(device);
      if (unit == profile::kNone ||
          activities_.units()[unit].process == profile::kNone)
        continue;
      TaskState& state = states_[activities_.units()[unit].process];
      state.parameter_bytes = util::WrapAdd(state.parameter_bytes, bytes);
      const auto types = profile_.graph().type_sets[nodes.types[n]];
      if (std::find(types.begin(), types.end(), trainable) != types.end()) {
        state.trainable_bytes = util::WrapAdd(state.trainable_bytes, bytes);
      }
    }
  }

  void ReadTimes() {
    for (const auto& step : profile_.steps()) {
      if (!step->listed || step->num_executions() == 0) continue;
      ++num_steps_;
      const auto activity = activities_.Of(*step);
      struct Time {
        timeline::Intervals busy, receiving;
        int64_t span = 0;
      };
      std::map<profile::ProcessId, Time> times;
      for (const timeline::DeviceActivity& device : activity->devices) {
        const timeline::LaneUnit& unit = activities_.units()[device.unit];
        if (unit.process == profile::kNone) continue;
        Time& time = times[unit.process];
        time.busy = timeline::Union(
            time.busy, timeline::Union(device.compute, device.copies));
        time.receiving = timeline::Union(time.receiving, device.communication);
        time.span = activity->OfClock(unit.clock)->length;
      }
      for (const auto& [process, time] : times) {
        int64_t& sum = states_[process].busy;
        sum = util::WrapAdd(sum, profile_.Micros(timeline::Length(time.busy)));
        Transfers& job = transfers_[lanes_.process(process).job];
        job.micros = util::WrapAdd(
            job.micros, profile_.Micros(timeline::Length(time.receiving)));
        job.span = util::WrapAdd(job.span, profile_.Micros(time.span));
      }
    }
  }

  double Mean(int64_t TaskState::*field) const {
    double sum = 0;
    for (const uint32_t t : servers_) {
      sum += static_cast<double>(states_[t].*field);
    }
    return sum / static_cast<double>(servers_.size());
  }

  uint32_t Most(int64_t TaskState::*field) const {
    return *std::max_element(servers_.begin(), servers_.end(),
                             [&](uint32_t a, uint32_t b) {
                               return states_[a].*field < states_[b].*field;
                             });
  }

  static std::string OfTask(std::string_view task, std::string_view select) {
    return fmt::format("op -account_type_regexes {}/.* -select {}",
                       NamePattern(task), select);
  }

  // Returns whether there was something to report.
  bool CheckBytes() {
    const uint32_t most = Most(&TaskState::parameter_bytes);
    const int64_t bytes = states_[most].parameter_bytes;
    const double mean = Mean(&TaskState::parameter_bytes);
    if (static_cast<double>(bytes) < settings_.Get("min_bytes")) return false;
    const double all = mean * static_cast<double>(servers_.size());
    const double ratio = static_cast<double>(bytes) / mean;
    const std::string& task = lanes_.process(most).name;
    const bool only = static_cast<double>(bytes) == all;
    if (!only && ratio < settings_.Get("ps_bytes")) return false;
    Finding f;
    f.severity = Finding::Severity::kWarning;
    f.subject = task;
    f.evidence = OfTask(task, "params,device -order_by params");
    if (only) {
      f.rule = kRules[0].id;
      f.value = 1;
      f.advice =
          "Spread variables over the parameter servers "
          "(replica_device_setter).";
      f.text = fmt::format(
          "{} holds all {} of parameters, the other {} none", task,
          tables::BytesText(bytes),
          servers_.size() == 2
              ? "parameter server"
              : fmt::format("{} parameter servers", servers_.size() - 1));
    } else {
      f.rule = kRules[1].id;
      f.value = ratio;
      f.threshold = settings_.Get("ps_bytes");
      f.advice =
          "Partition the largest variables, or place variables by size "
          "(GreedyLoadBalancingStrategy).";
      f.text = fmt::format(
          "{} holds {} of parameters, {:.2f} times the mean "
          "of {} parameter servers ({})",
          task, tables::BytesText(bytes), ratio, servers_.size(),
          tables::BytesText(util::ToInteger(mean)));
    }
    result_.findings.push_back(std::move(f));
    return true;
  }

  // An uneven distribution of bytes explains uneven times, so this is reported
  // only if the bytes are even.
  void CheckBusy() {
    const uint32_t most = Most(&TaskState::busy);
    const double mean = Mean(&TaskState::busy);
    if (num_steps_ == 0 || mean <= 0) return;
    const auto busy = static_cast<double>(states_[most].busy);
    const double excess = (busy - mean) / static_cast<double>(num_steps_);
    const double ratio = busy / mean;
    if (ratio < settings_.Get("ps_time") ||
        excess < settings_.Get("min_micros")) {
      return;
    }
    const std::string& task = lanes_.process(most).name;
    result_.findings.push_back(
        {.rule = kRules[2].id,
         .severity = Finding::Severity::kWarning,
         .subject = task,
         .value = ratio,
         .threshold = settings_.Get("ps_time"),
         .saving_micros = util::ToInteger(excess),
         .evidence = OfTask(task, "micros,device -order_by micros"),
         .advice = "Partition the variables that are updated most, or move "
                   "some to other parameter servers.",
         .text = fmt::format(
             "{} is busy {} per step, {:.2f} times the mean of {} parameter "
             "servers ({})",
             task, tables::FormatMicros(states_[most].busy / num_steps_), ratio,
             servers_.size(),
             tables::FormatMicros(
                 util::ToInteger(mean / static_cast<double>(num_steps_))))});
  }

  void CheckWorkers() {
    int64_t trainable = 0;
    for (const TaskState& state : states_) {
      trainable = util::WrapAdd(trainable, state.trainable_bytes);
    }
    const auto field = trainable > 0 ? &TaskState::trainable_bytes
                                     : &TaskState::parameter_bytes;
    int64_t on_workers = 0, on_servers = 0, most_bytes = 0;
    std::string_view most;
    for (profile::ProcessId t = 0; t < lanes_.num_processes(); ++t) {
      const int64_t bytes = states_[t].*field;
      if (lanes_.process(t).parameter_server) {
        on_servers = util::WrapAdd(on_servers, bytes);
        continue;
      }
      on_workers = util::WrapAdd(on_workers, bytes);
      if (bytes <= most_bytes) continue;
      most_bytes = bytes;
      most = lanes_.process(t).name;
    }
    const double share =
        static_cast<double>(on_workers) /
        (static_cast<double>(on_workers) + static_cast<double>(on_servers));
    if (on_servers <= 0 || share < settings_.Get("on_workers") ||
        static_cast<double>(on_workers) < settings_.Get("min_bytes")) {
      return;
    }
    result_.findings.push_back(
        {.rule = kRules[3].id,
         .severity = Finding::Severity::kWarning,
         .subject = std::string(most),
         .value = share,
         .threshold = settings_.Get("on_workers"),
         .evidence = OfTask(most, "params,device -order_by params"),
         .advice = "Place shared variables on the parameter servers "
                   "(replica_device_setter).",
         .text = fmt::format("{} of parameters ({:.1f}%) are not on parameter "
                             "servers, {} of them on {}",
                             tables::BytesText(on_workers), 100 * share,
                             tables::BytesText(most_bytes), most)});
  }

  // This is only for information: tensors received during computation cost
  // nothing, and parameter servers always wait for gradients.
  void AddTransfers() {
    for (const auto& [job, t] : transfers_) {
      if (job.empty() || job == "ps" || t.micros <= 0) continue;
      const double share =
          static_cast<double>(t.micros) / static_cast<double>(t.span);
      if (share < settings_.Get("transfers")) continue;
      result_.findings.push_back(
          {.rule = kRules[4].id,
           .subject = std::string(job),
           .value = share,
           .threshold = settings_.Get("transfers"),
           .evidence = "status",
           .text = fmt::format("job {}: tensors are sent or received in {} of "
                               "the step",
                               job, util::Percent(t.micros, t.span))});
    }
  }

  // Sums over the tasks of a job and all steps.
  struct Transfers {
    int64_t micros = 0;
    int64_t span = 0;
  };

  const profile::Profile& profile_;
  timeline::Activities& activities_;
  const profile::LaneTable& lanes_;
  const CheckerSettings& settings_;
  CheckResult& result_;
  std::vector<TaskState> states_;
  std::vector<uint32_t> servers_;
  std::map<std::string_view, Transfers> transfers_;
  int64_t num_steps_ = 0;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  JobCheck(views, settings, result).Run(views);
  return result;
}

}  // namespace job
}  // namespace

const Checker kJobChecker = {
    job::kName,
    "How parameters and work are spread over the tasks of a cluster.",
    Checker::Kind::kAdvice,
    job::kRules,
    job::kOptions,
    job::Check,
    Checker::Needs::kProcesses};

}  // namespace tfprof::advisor
