// FunctionFlops: the float operations inside the functions of a graph's
// library, for the nodes that call them.
//
// A body counts once for each call in the graph. The number of loop iterations
// is unknown, so While counts its condition and its body once. Only one branch
// of If and Case runs: the branch with the most operations counts. A function
// that calls itself or is not in the library has no number. Shapes come from
// the body (`_output_shapes`, constants, arguments).
//
// Each function is decoded once, when a call first needs it. There is no
// recursion: functions may call each other to any depth.

#ifndef TFPROF_FLOPS_FUNCTION_FLOPS_H_
#define TFPROF_FLOPS_FUNCTION_FLOPS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "profile/profile.h"

namespace tfprof::flops {

class FunctionFlops {
 public:
  // `profile` must outlive this object.
  explicit FunctionFlops(const profile::Profile& profile);

  struct Figure {
    int64_t flops = 0;
    bool complete = true;  // false: some float operations are unknown
  };

  // Returns true if an op with this name calls functions.
  bool IsCall(std::string_view op) const;
  // Returns the float operations of a node with such an op.
  Figure OfCall(std::string_view op, const profile::AttributeList& attributes);

 private:
  using FunctionId = uint32_t;
  // The functions that one node calls.
  struct Call {
    bool largest = false;  // only one of them runs
    std::vector<FunctionId> callees;
  };
  struct Function {
    enum class State { kNew, kOpen, kDone };
    profile::RecordRef record = profile::kNoRecord;
    State state = State::kNew;
    Figure figure;  // only of its own nodes until the function is done
    std::vector<Call> calls;
  };

  Call FindCallees(std::string_view op,
                   const profile::AttributeList& attributes) const;
  void Read(Function& function) const;
  void Resolve(FunctionId root);
  Figure Combine(const Call& call) const;

  const profile::Profile& profile_;
  absl::flat_hash_map<absl::string_view, FunctionId> by_name_;
  std::vector<Function> functions_;  // last: for missing functions
};

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_FUNCTION_FLOPS_H_
