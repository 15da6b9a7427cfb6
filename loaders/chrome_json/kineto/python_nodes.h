// The nodes of Python functions: one for each function in a scope that is
// called from one place of the program. Its type is "FILE:LINE:FUNCTION".

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NODES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NODES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/host_scopes.h"
#include "loaders/chrome_json/kineto/host/python_time.h"
#include "loaders/chrome_json/kineto/nodes.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "profile/tables/string_pool.h"

namespace tfprof::kineto {

// Adds the nodes of `calls` to `nodes`, and returns their numbers by call.
// `host_node` has the numbers of the host events.
std::vector<uint32_t> AddPythonNodes(
    const KinetoEvents& events, std::span<const PythonCall> calls,
    const HostScopes& scopes, std::span<const uint32_t> host_node,
    const PythonNames& names, profile::StringPool& strings, KinetoNodes& nodes);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NODES_H_
