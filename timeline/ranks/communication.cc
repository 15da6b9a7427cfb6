#include "timeline/ranks/communication.h"

#include "timeline/activity.h"

namespace tfprof::timeline {
namespace {

// The user's rules, cached with the views.
struct AddedRules {
  explicit AddedRules(const profile::Profile&) {}
  views::RegexPatterns patterns;
};

}  // namespace

bool IsCommunicationOp(std::string_view op) {
  for (const std::string_view name :
       {"RecvTensor", "SendTensor", "_HostRecv", "_HostSend", "HostRecv",
        "HostSend", "_Recv", "_Send"}) {
    if (op == name) return true;
  }
  // Kernels of NCCL and RCCL begin in lower case.
  // "c10d::" and "gloo:" are PyTorch's. Other lower-case names are from XLA. A
  // "-start" or "-done" may follow: the halves of an asynchronous collective.
  // Upper-case names are phases of Horovod's timeline.
  for (const std::string_view prefix :
       {"ALLGATHER",     "ALLREDUCE",     "ALLTOALL",      "BROADCAST",
        "GLOO_",         "MPI_",          "NCCL_",         "NEGOTIATE_",
        "REDUCESCATTER", "Byteps",        "Collective",    "Horovod",
        "Nccl",          "_Nccl",         "all-gather",    "all-reduce",
        "all-to-all",    "c10d::",        "collective-",   "gloo:",
        "mscclKernel",   "ncclDevKernel", "ncclKernel",    "ragged-all-to",
        "rcclKernel",    "rcclDevKernel", "reduce-scatter"}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

void UseCommunication(views::Views& views, const views::RegexPatterns& added) {
  AddedRules& rules = views.Kept<AddedRules>();
  if (rules.patterns == added) return;
  rules.patterns = added;
  views.Kept<Activities>().UseRules(
      std::make_shared<const CommunicationRules>(added));
}

std::function<bool(const profile::Step& step, const TrackEvent& event)>
CommunicationIn(views::Views& views) {
  return [&activities = views.Kept<Activities>()](const profile::Step& step,
                                                  const TrackEvent& event) {
    const profile::LaneId lane = step.LaneOf(event.record);
    return lane != profile::kNone &&
           !activities.profile().lanes()[lane].calls_nest &&
           activities.KindOf(step, event.record, event.node, lane) ==
               RunKind::kCommunication;
  };
}

}  // namespace tfprof::timeline
