// NameIndex: the names of a profile, for completion and for "did you mean".
//
// After ".*", where a name may begin anywhere, single parts are completed.
//
// Prepare() sorts the names of nodes on a thread of its own. Until that is
// done, and where it is never asked for, as in a single command, each answer
// reads all names (sorted_names.h has what both cost): nobody waits for the
// sort. Memory: 8 bytes a node.
//
// Where names of nodes may repeat, or scopes are no paths (profile/modules.h,
// profile/scopes.h), the names are those that the views show, and scopes those
// of the scope view. They are sorted at first use.
//
// The profile must outlive the index. For one thread.

#ifndef TFPROF_PROFILER_SHELL_NAME_INDEX_H_
#define TFPROF_PROFILER_SHELL_NAME_INDEX_H_

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profile/profile.h"
#include "profiler/shell/sorted_names.h"

namespace tfprof {

class NameIndex {
 public:
  enum class Kind { kNodes, kScopes, kTypes, kCode };
  // What stands between the parts of a name; '\0': names have no parts.
  static char SeparatorOf(Kind kind);

  explicit NameIndex(const Profile& profile) : profile_(profile) {}
  ~NameIndex();
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Begins to sort the names of nodes.
  void Prepare();

  // anywhere: parts of names instead of names from their beginning.
  NameMatches Complete(Kind kind, std::string_view stem, size_t limit,
                       bool anywhere = false);

  // The names that `typed`, which is none, may be a slip of. Of a path the
  // parts are compared one by one, so that it costs a scope and not the graph.
  std::vector<std::string> Nearest(Kind kind, std::string_view typed);
  // The first name that has `part` in it; "" if none has. Reads all names.
  std::string_view FirstWith(Kind kind, std::string_view part);

  const Profile& profile() const { return profile_; }

 private:
  struct Names {
    bool made = false;
    SortedNames whole;
    StringPool part_pool;
    SortedNames parts;

    void SetWhole(SortedNames names);
  };
  // Null: those of nodes, before they are sorted.
  const Names* Get(Kind kind);
  NameList NodeList() const;
  // Nodes and scopes have names of their own.
  bool HasPaths() const;
  void MakePaths();

  const Profile& profile_;
  Names nodes_, types_, code_;
  Names scopes_;  // with HasPaths(); else those of nodes_
  StringPool code_names_, path_names_;
  bool prepared_ = false;
  std::atomic<bool> sorted_ = false;
  std::jthread sorting_;  // fills nodes_
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_NAME_INDEX_H_
