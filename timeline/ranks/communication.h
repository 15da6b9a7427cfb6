// Defines which operations are communication: those that move data between
// devices or machines, or wait for it.
//
// The built-in rules match RecvTensor and SendTensor, _Send, _Recv and their
// variants on a host, names that begin with Horovod, Nccl, Collective or
// Byteps, the collectives of XLA, and the kernels of NCCL and RCCL. A user can
// add regular expressions for the operations of other libraries. All commands
// use the rules of the Views: UseCommunication() changes them and drops results
// that were computed with other rules.

#ifndef TFPROF_TIMELINE_RANKS_COMMUNICATION_H_
#define TFPROF_TIMELINE_RANKS_COMMUNICATION_H_

#include <functional>
#include <memory>
#include <string_view>

#include "timeline/tracks.h"
#include "views/options.h"
#include "views/regex_list.h"
#include "views/views.h"

namespace tfprof::timeline {

// Applies the built-in rules.
bool IsCommunicationOp(std::string_view op);

class CommunicationRules {
 public:
  // Each of `added` must match all of an operation's type. A pattern that does
  // not compile matches nothing.
  explicit CommunicationRules(const views::RegexPatterns& added = {})
      : added_(added) {}

  bool IsCommunication(std::string_view op) const {
    return IsCommunicationOp(op) || IsAdded(op);
  }
  bool has_added() const { return !added_.empty(); }
  bool IsAdded(std::string_view op) const {
    return has_added() && added_.Matches(op);
  }

 private:
  views::RegexList added_;
};

// Makes the activity of `views` use the built-in rules and `added`. Activities
// returned before must not be used any more.
void UseCommunication(views::Views& views, const views::RegexPatterns& added);

// Returns a function for Tracks that finds communication on lanes of single
// ops. `views` must outlive it.
std::function<bool(const profile::Step& step, const TrackEvent& event)>
CommunicationIn(views::Views& views);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_COMMUNICATION_H_
