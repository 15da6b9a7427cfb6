#include "loaders/chrome_json/kineto/replays/replay_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "loaders/chrome_json/kineto/host/host_tree.h"
#include "loaders/chrome_json/kineto/host/python_time.h"

namespace tfprof::kineto {

CapturedFile ReadCaptures(KinetoEvents events, uint32_t input,
                          const WorkKinds& kinds, const PythonNames& python,
                          ScopeMaker& scopes) {
  const profile::StringPool& strings = scopes.builder().graph().strings;
  CapturedFile file;
  file.captures.captures = FindCaptures(events, strings, kinds);
  file.captures.batch = AnnotatedBatch(events, strings);
  if (file.captures.batch < 0) {
    file.captures.batch = BatchOfPath(events.file->path());
  }
  file.scopes = FindHostScopes(events, BuildHostTree(events), {},
                               OrderOfCalls(events), python, scopes);
  file.events = std::move(events);
  file.input = input;
  return file;
}

ReplayNodes::Kernels ReplayNodes::Add(
    const ReplayingFile& file, std::span<const CapturedFile* const> captures) {
  Kernels kernels;
  kernels.node.assign(file.events.device.size(), profile::kNone);
  kernels.begins_run.assign(file.events.device.size(), false);
  if (captures.empty() || file.replays.empty()) return kernels;
  std::vector<const CaptureFile*> files;
  for (const CapturedFile* captured : captures) {
    files.push_back(&captured->captures);
  }
  const std::vector<KernelSource> sources =
      FindSources(file.events, file.steps, file.replays, files, kinds_);
  for (const Replay& replay : file.replays) {
    absl::flat_hash_set<uint32_t> seen;
    for (const uint32_t d : replay.kernels) {
      if (sources[d].file == profile::kNone) continue;
      const CapturedFile& from = *captures[sources[d].file];
      const GraphCapture& capture = from.captures.captures[sources[d].capture];
      const uint32_t owner = capture.owner[sources[d].call];
      const HostEvent& op = from.events.host[owner];
      const profile::ScopeId scope = ScopeInRun(
          from.scopes, capture.begin, owner, file.scopes, replay.launch);
      kernels.node[d] =
          nodes_.Add({scope, op.name, from.scopes.stack[owner]}, op.name,
                     profile::MakeRecordRef(from.input, op.offset), op.dims);
      nodes_.AddCall(file.host_node[replay.launch], kernels.node[d]);
      kernels.begins_run[d] = seen.insert(owner).second;
    }
  }
  return kernels;
}

profile::ScopeId ReplayNodes::ScopeInRun(const HostScopes& captured,
                                         uint32_t begin, uint32_t owner,
                                         const HostScopes& run,
                                         uint32_t launch) {
  // In a module, ranges around it do not count (host_scopes.h).
  const profile::ScopeId module = captured.module[owner];
  const bool in_module =
      module != profile::kRootScope && module != captured.module[begin];
  const profile::ScopeId base =
      in_module ? run.module[launch] : run.scope[launch];
  const profile::ScopeId around = captured.scope[begin];
  const profile::ScopeId inner = captured.scope[owner];
  const auto [it, added] = joined_.try_emplace({around, inner, base});
  if (!added) return it->second;
  const std::vector<profile::ScopeId> outside = PathOf(around);
  const std::vector<profile::ScopeId> path = PathOf(inner);
  size_t i = 0;
  while (i < path.size() && i < outside.size() && path[i] == outside[i]) ++i;
  profile::ScopeId scope = base;
  for (; i < path.size(); ++i) {
    scope = scopes_.Push(scope, scopes_.builder().graph().scopes[path[i]].name);
  }
  return it->second = scope;
}

// Returns the scopes around a scope and itself, outermost first.
std::vector<profile::ScopeId> ReplayNodes::PathOf(
    profile::ScopeId scope) const {
  const profile::Scopes& scopes = scopes_.builder().graph().scopes;
  std::vector<profile::ScopeId> path;
  for (; scope != profile::kRootScope; scope = scopes[scope].parent) {
    path.push_back(scope);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace tfprof::kineto
