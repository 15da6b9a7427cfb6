// The entries of a page: each describes one kind of event, with its node,
// scope, call stack and inputs. Adds entries, and the strings, scopes and
// stacks that they need, to a page. Both the profile and the page must outlive
// them.

#ifndef TFPROF_EXPORTERS_PAGE_ENTRIES_H_
#define TFPROF_EXPORTERS_PAGE_ENTRIES_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "exporters/page/page.h"
#include "profile/profile.h"

namespace tfprof::exporters {

class PageEntries {
 public:
  PageEntries(const profile::Profile& profile, Page& page)
      : profile_(profile), page_(page) {}

  // Returns kNone for an empty text.
  profile::StringId Intern(std::string_view text) {
    return text.empty() ? profile::kNone : page_.strings.Intern(text);
  }

  // The index in Page::entries of the entry with this node (kNone: none), name
  // and type.
  uint32_t Of(profile::NodeId node, std::string_view name, std::string_view op);

 private:
  struct Key {
    profile::NodeId node;
    profile::StringId name;
    profile::StringId op;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.node, k.name, k.op);
    }
  };

  void FillNode(profile::NodeId node, PageEntry& entry);
  uint32_t Scope(uint32_t parent, std::string_view part);
  uint32_t ScopeOfName(std::string_view name);
  uint32_t ScopeOfTable(profile::ScopeId id);
  uint32_t StackOf(profile::StackId id);

  const profile::Profile& profile_;
  Page& page_;
  absl::flat_hash_map<Key, uint32_t> entry_ids_;
  absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, uint32_t>
      scope_ids_;
  absl::flat_hash_map<profile::StackId, uint32_t> stack_ids_;
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_ENTRIES_H_
