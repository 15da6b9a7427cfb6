#include "loaders/chrome_json/kineto/python_nodes.h"

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"

namespace tfprof::kineto {

std::vector<uint32_t> AddPythonNodes(const KinetoEvents& events,
                                     std::span<const PythonCall> calls,
                                     const HostScopes& scopes,
                                     std::span<const uint32_t> host_node,
                                     const PythonNames& names,
                                     profile::StringPool& strings,
                                     KinetoNodes& nodes) {
  absl::flat_hash_map<uint32_t, profile::StringId> types;
  std::vector<uint32_t> numbers;
  numbers.reserve(calls.size());
  for (const PythonCall& call : calls) {
    const uint32_t function = events.python[call.event].name;
    const auto [type, is_new] = types.try_emplace(function, profile::kNone);
    if (is_new) {
      const PythonName& name = names[function];
      type->second = strings.Intern(
          fmt::format("{}:{}:{}", strings.Get(name.file), name.first_line,
                      strings.Get(name.function)));
    }
    // The innermost module of the event around it also contains the call.
    profile::ScopeId scope = call.module;
    const uint32_t parent = call.parent;
    if (parent != profile::kNone &&
        (scope == profile::kRootScope || scope == scopes.module[parent])) {
      scope = scopes.scope[parent];
    }
    numbers.push_back(nodes.Add({scope, type->second, call.stack}, type->second,
                                profile::kNoRecord, /*dims=*/0));
    if (parent != profile::kNone) {
      nodes.AddCall(host_node[parent], numbers.back());
    }
  }
  return numbers;
}

}  // namespace tfprof::kineto
