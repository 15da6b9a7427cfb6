// Makes the nodes of kernels in replayed graphs: those of the operators that
// captured them.
//
// Such a node is in the modules around the replay and in those that the capture
// entered, as if the operator ran where the graph is replayed. Its call stack
// and its attributes are those of the capture.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_NODES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_NODES_H_

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/kineto/host/host_scopes.h"
#include "loaders/chrome_json/kineto/nodes.h"
#include "loaders/chrome_json/kineto/replays/replays.h"
#include "loaders/chrome_json/kineto/scan.h"

namespace tfprof::kineto {

// A file that has captures of graphs for others.
struct CapturedFile {
  KinetoEvents events;
  HostScopes scopes;
  CaptureFile captures;
  uint32_t input = 0;  // of its records
};

// Takes the captures of a file. `input` is its number in the profile.
CapturedFile ReadCaptures(KinetoEvents events, uint32_t input,
                          const WorkKinds& kinds, const PythonNames& python,
                          ScopeMaker& scopes);

// The file with replays.
struct ReplayingFile {
  const KinetoEvents& events;
  const KinetoSteps& steps;
  const HostScopes& scopes;
  const std::vector<Replay>& replays;
  const std::vector<uint32_t>& host_node;  // numbers of nodes, by host event
};

class ReplayNodes {
 public:
  ReplayNodes(const WorkKinds& kinds, ScopeMaker& scopes, KinetoNodes& nodes)
      : kinds_(kinds), scopes_(scopes), nodes_(nodes) {}

  // Indexed by device event.
  struct Kernels {
    std::vector<uint32_t> node;  // kNone: nothing names it
    // It is the first kernel of a run of its operator.
    std::vector<bool> begins_run;
  };
  Kernels Add(const ReplayingFile& file,
              std::span<const CapturedFile* const> captures);

 private:
  profile::ScopeId ScopeInRun(const HostScopes& captured, uint32_t begin,
                              uint32_t owner, const HostScopes& run,
                              uint32_t launch);
  std::vector<profile::ScopeId> PathOf(profile::ScopeId scope) const;

  const WorkKinds& kinds_;
  ScopeMaker& scopes_;
  KinetoNodes& nodes_;
  // (scope around a capture, scope of an operator in it, scope around the
  // replay) to the scope of the operator there.
  absl::flat_hash_map<
      std::tuple<profile::ScopeId, profile::ScopeId, profile::ScopeId>,
      profile::ScopeId>
      joined_;
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_NODES_H_
