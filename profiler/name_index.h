// NameIndex: the names of a profile, to find those that begin with what a
// person typed so far.
//
// Names are like paths: nodes and scopes have '/' between their parts
// ("resnet/unit_1/conv"), rows of the code view ':' ("train.py:12:main"), types
// have no parts. Complete() answers as a shell does for files: it goes on to
// the end of the part, "resnet/un" to "resnet/unit_1/".
// After ".*", where a name may begin anywhere, single parts are completed.
//
// Sorting the names of a million nodes takes 0.3 s of a core. Prepare() does
// that on a thread of its own while the person reads the prompt; from then on
// an answer is a binary search and a walk over 4 bytes for each name that
// begins so (a millisecond for a million). Memory: 8 bytes a node.
//
// The profile must outlive the index. For one thread.

#ifndef TFPROF_PROFILER_NAME_INDEX_H_
#define TFPROF_PROFILER_NAME_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

// What goes on from a stem.
struct NameMatches {
  std::vector<std::string> names;  // ascending, the first ones
  size_t total = 0;                // with those that are not in `names`
  std::string common;              // what all of them begin with
  // There is one, and it ends in a separator: more comes behind it.
  bool open = false;
};

// Names of a pool in byte order.
class SortedNames {
 public:
  SortedNames() = default;
  // Distinct strings of `pool`, which must outlive this.
  SortedNames(const StringPool& pool, std::vector<StringId> ids,
              char separator);

  // At most `limit` names; scopes_only: those that end in the separator.
  NameMatches Complete(std::string_view stem, size_t limit,
                       bool scopes_only = false) const;
  // Adds the parts that names are made of, without their separators.
  void CollectParts(StringPool& parts) const;

  size_t size() const { return ids_.size(); }
  std::string_view name(size_t i) const { return pool_->Get(ids_[i]); }

 private:
  const StringPool* pool_ = nullptr;
  std::vector<StringId> ids_;
  // How many bytes of whole parts, each with its separator, a name has in
  // common with the one before.
  std::vector<uint32_t> shared_parts_;
  char separator_ = '/';
};

class NameIndex {
 public:
  enum class Kind { kNodes, kScopes, kTypes, kCode };

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
  const Names& Get(Kind kind);

  const Profile& profile_;
  Names nodes_, types_, code_;
  StringPool code_names_;
  bool prepared_ = false;
  std::jthread sorting_;  // fills nodes_
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_NAME_INDEX_H_
