#include "profiler/commands/help/glossary.h"

#include <algorithm>
#include <string>

#include "util/text/ascii.h"

namespace tfprof::commands {
namespace {

constexpr Term kTerms[] = {
    {"accelerator",
     "The time of an operation on devices such as GPUs and TPUs: of the "
     "kernels "
     "and copies that it started."},
    {"avoidable",
     "The largest part of the wall time of a device that is not computation."},
    {"bound",
     "In roofline, what limits an operation: 'compute' if it does at least as "
     "many operations per byte as the ridge of the device, else 'memory'."},
    {"busy",
     "The time in which a device did something: the union of the intervals of "
     "its executions. Executions at the same time count once, so it is never "
     "more than the wall time."},
    {"communication",
     "The time in which a device sent to or received from others: NCCL, "
     "collectives, RecvTensor."},
    {"compute", "The time in which a device ran kernels that compute."},
    {"copies",
     "The time in which a device copied memory: to or from the host, or to "
     "other places."},
    {"cpu",
     "The time of an operation on the host, with the calls that start work on "
     "other devices."},
    {"cumulative",
     "Of a row and all rows below it. In the op view: of a row and all rows "
     "after it in the list."},
    {"definitions",
     "How many nodes of the graph a row stands for; 'runs' counts how often "
     "they ran."},
    {"executions",
     "How many times something ran: an operation, a call or a kernel."},
    {"exposed",
     "Communication during which the device computes nothing: the part that "
     "costs time."},
    {"host-bound",
     "Idle time of a device in which nothing was launched: the host was too "
     "late."},
    {"idle", "The wall time without the busy time."},
    {"intensity",
     "Float operations per byte of memory that is read or written."},
    {"late", "How much later than the first rank a rank began a step."},
    {"latency",
     "The time from the start of a launch on the host to the start of what it "
     "launched."},
    {"launches", "Calls of the host that start work on a device."},
    {"median",
     "The middle one: half of the values are smaller, half are larger."},
    {"MFU",
     "Model FLOPs utilization: float operations divided by what the devices "
     "could have done in the same time at their peak."},
    {"of wall",
     "The time of a row divided by the wall time. Work at the same time counts "
     "each, except in an account, where the parts add up to the wall time."},
    {"overlap",
     "Communication during which the device computes too: it costs no time."},
    {"path",
     "Work of the critical path: what a step could not have done sooner."},
    {"peak", "The largest level of memory, or the most that a device can do."},
    {"peak sum",
     "The peaks of all runs added up. Runs hold their memory at different "
     "times, so it can be more than a device has; memory shows the peak of a "
     "device."},
    {"queue", "How many launched kernels and copies wait or run at a time."},
    {"ridge",
     "The intensity from which a device is limited by its operations and no "
     "longer by its memory: peak operations divided by peak bytes."},
    {"runs", "How often the operation ran."},
    {"segments",
     "The pieces of the critical path: each is an execution or the time "
     "between "
     "two."},
    {"self", "Of a row alone, without the rows below it."},
    {"share", "The number of a row divided by the number of all rows."},
    {"slack",
     "How much longer an operation could have taken without making the step "
     "longer."},
    {"span",
     "The wall time from the first start to the last end: of a step, or of a "
     "device."},
    {"sum of op times",
     "The times of all operations added up. Operations at the same time count "
     "each, so it can be more than the wall time. Times on accelerators and on "
     "CPUs are two sums."},
    {"total", "The sum over all rows, also those that are not shown."},
    {"waiting",
     "Idle time of a device in which work was launched but had not begun."},
    {"wall",
     "Time as a clock on the wall shows it, however much ran at the same "
     "time."},
};

std::string Folded(std::string_view word) {
  std::string folded = util::LowerCase(word);
  for (char& c : folded) {
    if (c == '-' || c == '_') c = ' ';
  }
  return folded;
}

}  // namespace

std::span<const Term> Glossary() { return kTerms; }

const Term* FindTerm(std::string_view word) {
  const std::string folded = Folded(word);
  const auto* term =
      std::find_if(std::begin(kTerms), std::end(kTerms),
                   [&](const Term& t) { return Folded(t.word) == folded; });
  return term == std::end(kTerms) ? nullptr : term;
}

}  // namespace tfprof::commands
