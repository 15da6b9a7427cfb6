// Finds the scope and the Python call stack of each host event of a Kineto
// file.
//
// The scope is the "Module Hierarchy" of the event; else the calls of
// nn.Modules around it ("ResNet_0", "BasicBlock_3"); else the named ranges
// around it, except steps (steps.h). A range inside a module is a scope below
// that module. A range is in the scope of its own name.
//
// An operator of the backward pass runs outside of all modules. It gets the
// scope of its forward operator plus the part "(backward)", if the forward
// operator is in a module or the backward operator has no scope of its own. So
// do the events inside it, and autograd's event around it.
//
// The stack is the "Call stack" of the event, else the Python calls that are
// open on its thread. Built-in functions and modules are not frames, but the
// line that calls them is the line of the frame around them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_SCOPES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_SCOPES_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/host_tree.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof::kineto {

struct HostScopes {
  // All are by host event. `module` is the scope of the innermost module around
  // the event, without ranges; the root if it is in none.
  std::vector<profile::ScopeId> scope;
  std::vector<profile::ScopeId> module;
  std::vector<profile::StackId> stack;
};

// Returns (forward, backward) pairs of host events; each backward event occurs
// once. They are the ends of arrows from operators to their gradients, or, if
// the file has no arrows, operators with the same sequence number.
std::vector<std::pair<uint32_t, uint32_t>> FindGradients(
    const KinetoEvents& events, const HostTree& tree);

// `calls` is OrderOfCalls(events).
HostScopes FindHostScopes(
    const KinetoEvents& events, const HostTree& tree,
    const std::vector<std::pair<uint32_t, uint32_t>>& gradients,
    std::span<const uint32_t> calls, const PythonNames& python,
    ScopeMaker& scopes);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_SCOPES_H_
