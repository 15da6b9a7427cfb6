// What counts as communication: operations that move data between devices or
// machines, or wait for it.
//
// The built-in rules know RecvTensor and SendTensor, _Send, _Recv and their
// halves on a host, what begins with Horovod, Nccl, Collective or Byteps, and
// the collectives of XLA. A user adds regular expressions for
// the operations of other libraries. The figures of all commands are made with
// the rules that the Views have: UseCommunication() changes them, and what was
// computed with others is dropped.

#ifndef TFPROF_TIMELINE_COMMUNICATION_H_
#define TFPROF_TIMELINE_COMMUNICATION_H_

#include <functional>
#include <memory>
#include <string_view>

#include "timeline/tracks.h"
#include "views/options.h"
#include "views/regex_list.h"
#include "views/views.h"

namespace tfprof {

// By the built-in rules.
bool IsCommunicationOp(std::string_view op);

class CommunicationRules {
 public:
  // Each of `added` matches all of an operation's type. One that does not
  // compile matches nothing.
  explicit CommunicationRules(const RegexPatterns& added = {})
      : added_(added) {}

  bool IsCommunication(std::string_view op) const {
    return IsCommunicationOp(op) || IsAdded(op);
  }
  bool has_added() const { return !added_.empty(); }
  bool IsAdded(std::string_view op) const {
    return has_added() && added_.Matches(op);
  }

 private:
  RegexList added_;
};

// Makes the activity of `views` count with the built-in rules and `added`.
// Activities that were asked for before must not be used any more.
void UseCommunication(Views& views, const RegexPatterns& added);

// Which executions of lanes of single ops communicate, for Tracks. `views` must
// outlive it.
std::function<bool(const Step& step, const TrackEvent& event)> CommunicationIn(
    Views& views);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_COMMUNICATION_H_
