// Names like paths, in byte order, to find those that begin with a typed stem;
// and functions that give the same answers for names in any order.
//
// Nodes and scopes have '/' between their parts ("resnet/unit_1/conv"), rows of
// the code view ':' ("train.py:12:main"), types have no parts: their separator
// is '\0'. As in a shell's completion of files, an answer goes to the end of
// the part: "resnet/un" is completed to "resnet/unit_1/".
//
// Of a million names, on one core: sorting takes 0.5 to 0.9 s, and after it an
// answer is a binary search and a walk over 4 bytes for each name that matches,
// at most 2 ms. A scan reads all names: 20 to 50 ms.
//
// A pool must outlive the names that refer to it.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_SORTED_NAMES_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_SORTED_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::shell {

// The names that begin with a stem.
struct NameMatches {
  std::vector<std::string> names;  // ascending, the first ones
  size_t total = 0;                // with those that are not in `names`
  std::string common;              // what all of them begin with
  // There is one, and it ends in a separator: longer names follow.
  bool open = false;
};

class SortedNames {
 public:
  SortedNames() = default;
  // Distinct strings of `pool`.
  SortedNames(const profile::StringPool& pool,
              std::vector<profile::StringId> ids, char separator);

  // At most `limit` names; scopes_only: those that end in the separator.
  NameMatches Complete(std::string_view stem, size_t limit,
                       bool scopes_only = false) const;
  // Adds the parts that names are made of, without their separators.
  void CollectParts(profile::StringPool& parts) const;

  size_t size() const { return ids_.size(); }
  std::string_view name(size_t i) const { return pool_->Get(ids_[i]); }

 private:
  const profile::StringPool* pool_ = nullptr;
  std::vector<profile::StringId> ids_;
  // The number of bytes in whole parts, each with its separator, that a name
  // shares with the one before.
  std::vector<uint32_t> shared_parts_;
  char separator_ = '/';
};

// Distinct strings of a pool, in any order.
struct NameList {
  const profile::StringPool& pool;
  std::span<const profile::StringId> ids;
  char separator;
};

// The answer of SortedNames::Complete() for these names.
NameMatches ScanNames(const NameList& names, std::string_view stem,
                      size_t limit, bool scopes_only = false);
// The answer of Complete() for the sorted parts. `stem` has no separator in it.
NameMatches ScanParts(const NameList& names, std::string_view stem,
                      size_t limit);

// The first name, in byte order, that has `part` in it; "" if none has.
std::string_view FirstNameWith(const NameList& names, std::string_view part);

// Where the part of `name` that holds byte `at` ends, behind its separator.
size_t PartEnd(std::string_view name, size_t at, char separator);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_SORTED_NAMES_H_
