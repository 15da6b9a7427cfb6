// The scope and the Python call stack of each host event of a Kineto file.
//
// Scope: the "Module Hierarchy" that an event carries; else the calls of
// nn.Modules around it ("ResNet_0", "BasicBlock_3"); else the named ranges
// around it, without ProfilerStep#N. A range in a module counts below that
// module. A range is in the scope of its own name.
//
// An operator of the backward pass runs outside of all modules. It gets the
// scope of its forward operator and below it the part "(backward)", if that one
// is in a module or it has no scope of its own; what runs inside it, and
// autograd's event around it, does too.
//
// Stack: the "Call stack" that an event carries, else the Python calls that are
// open on its thread. Built-in functions and modules are no frames, but the
// line that calls them is the line of the frame around them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_SCOPES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_SCOPES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host_tree.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof {

struct HostScopes {
  // By host event.
  std::vector<ScopeId> scope;
  std::vector<StackId> stack;
};

// (forward, backward) host events, each backward one once: the ends of arrows
// from operators to their gradients, or, if the file has none, operators with
// one sequence number.
std::vector<std::pair<uint32_t, uint32_t>> FindGradients(
    const KinetoEvents& events, const HostTree& tree);

HostScopes FindHostScopes(
    const KinetoEvents& events, const HostTree& tree,
    const std::vector<std::pair<uint32_t, uint32_t>>& gradients,
    const PythonNames& python, ScopeMaker& scopes);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_SCOPES_H_
