#include "profiler/commands/help/glossary.h"

#include <algorithm>
#include <string>

#include "util/text/ascii.h"

namespace tfprof::commands {
namespace {

constexpr Term kTerms[] = {
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
    {"cumulative",
     "Of a row and all rows below it. In the op view: of a row and all rows "
     "after it in the list."},
    {"definitions",
     "How many nodes of the graph a row stands for; 'runs' counts how often "
     "they ran."},
    {"exposed",
     "Communication during which the device computes nothing: the part that "
     "costs time."},
    {"host-bound",
     "Idle time of a device in which nothing was launched: the host was too "
     "late."},
    {"idle", "The wall time without the busy time."},
    {"intensity",
     "Float operations per byte of memory that is read or written."},
    {"latency",
     "The time from the start of a launch on the host to the start of what it "
     "launched."},
    {"launches", "Calls of the host that start work on a device."},
    {"MFU",
     "Model FLOPs utilization: float operations divided by what the devices "
     "could have done in the same time at their peak."},
    {"overlap",
     "Communication during which the device computes too: it costs no time."},
    {"queue", "How many launched kernels and copies wait or run at a time."},
    {"ridge",
     "The intensity from which a device is limited by its operations and no "
     "longer by its memory: peak operations divided by peak bytes."},
    {"self", "Of a row alone, without the rows below it."},
    {"share", "The number of a row divided by the number of all rows."},
    {"span",
     "The wall time from the first start to the last end: of a step, or of a "
     "device."},
    {"sum of op times",
     "The times of all operations added up. Operations at the same time count "
     "each, so it can be more than the wall time."},
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
