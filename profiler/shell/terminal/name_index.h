// NameIndex: the names of a profile, for completion and for "did you mean".
//
// After ".*", where a name may begin anywhere, single parts are completed.
//
// Prepare() sorts the names of nodes on a thread of its own. Until that is
// done, or if it is never called, as for a single command, each answer reads
// all names, so that no caller waits for the sort. sorted_names.h says what
// both cost. Memory: 8 bytes per node.
//
// If names of nodes may repeat or scopes are not paths
// (profile/tables/modules.h, profile/tables/scopes.h), the names are those that
// the views show, and the scopes are those of the scope view. They are sorted
// at first use.
//
// The profile must outlive the index. For one thread.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_NAME_INDEX_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_NAME_INDEX_H_

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profile/profile.h"
#include "profiler/shell/terminal/sorted_names.h"

namespace tfprof::shell {

class NameIndex {
 public:
  enum class Kind { kNodes, kScopes, kTypes, kCode };
  // The separator between the parts of a name; '\0': names have no parts.
  static char SeparatorOf(Kind kind);

  explicit NameIndex(const profile::Profile& profile) : profile_(profile) {}
  ~NameIndex();
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Begins to sort the names of nodes.
  void Prepare();

  // anywhere: completes parts of names instead of names from their beginning.
  NameMatches Complete(Kind kind, std::string_view stem, size_t limit,
                       bool anywhere = false);

  // The names that are nearest to `typed`, which is not a name. The parts of a
  // path are compared one by one, so that only the names of a scope are read,
  // not those of the whole graph.
  std::vector<std::string> Nearest(Kind kind, std::string_view typed);
  // The first name that has `part` in it; "" if none has. Reads all names.
  std::string_view FirstWith(Kind kind, std::string_view part);

  const profile::Profile& profile() const { return profile_; }

 private:
  struct Names {
    bool made = false;
    SortedNames whole;
    profile::StringPool part_pool;
    SortedNames parts;

    void SetWhole(SortedNames names);
  };
  // Null: the names of nodes are not sorted yet.
  const Names* Get(Kind kind);
  NameList NodeList() const;
  // The names that views show are not those of the nodes, or scopes not paths.
  bool HasPaths() const;
  void MakePaths();

  const profile::Profile& profile_;
  Names nodes_, types_, code_;
  Names scopes_;  // with HasPaths(); else those of nodes_
  profile::StringPool code_names_, path_names_;
  bool prepared_ = false;
  std::atomic<bool> sorted_ = false;
  std::jthread sorting_;  // fills nodes_
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_NAME_INDEX_H_
