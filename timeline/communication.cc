#include "timeline/communication.h"

#include "timeline/activity.h"
#include "timeline/trace_activity.h"

namespace tfprof {
namespace {

// What a user added, kept with the views.
struct AddedRules {
  explicit AddedRules(const Profile&) {}
  RegexPatterns patterns;
};

}  // namespace

bool IsCommunicationOp(std::string_view op) {
  for (const std::string_view name : {"RecvTensor", "SendTensor", "_HostRecv",
                                      "_HostSend", "_Recv", "_Send"}) {
    if (op == name) return true;
  }
  for (const std::string_view prefix :
       {"Byteps", "Collective", "Horovod", "Nccl", "_Nccl"}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

bool IsCollectiveOp(std::string_view op) {
  // Names of XLA. A "-start" or "-done" may follow: the halves of one that runs
  // beside other work.
  for (const std::string_view name :
       {"all-gather", "all-reduce", "all-to-all", "collective-",
        "ragged-all-to", "reduce-scatter"}) {
    if (op.starts_with(name)) return true;
  }
  return IsCommunicationOp(op);
}

void UseCommunication(Views& views, const RegexPatterns& added) {
  AddedRules& rules = views.Kept<AddedRules>();
  if (rules.patterns == added) return;
  rules.patterns = added;
  const auto made = std::make_shared<const CommunicationRules>(added);
  views.Kept<Activities>().UseRules(made);
  views.Kept<TraceActivities>().UseRules(made);
}

std::function<bool(const Step& step, const TrackEvent& event)> CommunicationIn(
    Views& views) {
  if (IsTrace(views.profile())) return {};
  return [&activities = views.Kept<Activities>()](const Step& step,
                                                  const TrackEvent& event) {
    return activities.rules().IsCommunication(
        activities.Op(step, {.node = event.node, .record = event.record}));
  };
}

}  // namespace tfprof
