// Links between executions: one launched, sent to or produced data for another.
//
// An execution is identified by the number of its step and its row in the
// step's execution columns (step.h). Both numbers stay the same in a profile
// with fewer steps. Adding executions to a step moves its rows; the
// ProfileBuilder then renumbers the links.
//
// The table has one row for each link, ascending by `from`, then `to`, then
// kind. A pair of executions may have several links, but only one of each kind.
// Both ends are in the profile: if an execution is dropped (to save memory, or
// with its step), its links are dropped too.
//
// A profile without links has a table of size 0, which uses no memory.
// Immutable; shared between profiles.

#ifndef TFPROF_PROFILE_TABLES_LINKS_H_
#define TFPROF_PROFILE_TABLES_LINKS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "profile/steps/int_column.h"

namespace tfprof::profile {

// Identifies an execution of a profile.
struct ExecutionRef {
  int64_t step = 0;    // Step::id
  uint32_t index = 0;  // row in that step, see above
  friend auto operator<=>(const ExecutionRef&, const ExecutionRef&) = default;
};

enum class LinkKind : uint8_t {
  kLaunch,    // from the launch to the kernel
  kTransfer,  // from the send to the receive
  kGradient,  // from the forward execution to the backward one
  kData,      // from the producer to the consumer
};

// "launch", "transfer", "gradient", "data".
constexpr std::string_view LinkKindName(LinkKind kind) {
  switch (kind) {
    case LinkKind::kLaunch:
      return "launch";
    case LinkKind::kTransfer:
      return "transfer";
    case LinkKind::kGradient:
      return "gradient";
    case LinkKind::kData:
      return "data";
  }
  return "";
}

struct Link {
  ExecutionRef from;
  ExecutionRef to;
  LinkKind kind = LinkKind::kLaunch;
  friend auto operator<=>(const Link&, const Link&) = default;
};

struct Links {
  IntColumn from_step;
  IntColumn from_index;
  IntColumn to_step;
  IntColumn to_index;
  IntColumn kind;  // LinkKind

  Links() = default;
  // `links` are in ascending order.
  explicit Links(std::span<const Link> links)
      : Links(
            links, [](const Link& link) { return link.from; },
            [](const Link& link) { return link.to; },
            [](const Link& link) { return link.kind; }) {}
  // The same for rows of another type. The functions return the fields of a
  // row; they are called with rows in ascending order, several times.
  template <typename Row, typename From, typename To, typename Kind>
  Links(std::span<const Row> rows, From from_of, To to_of, Kind kind_of) {
    std::tie(from_step, from_index, to_step, to_index, kind) =
        std::tuple_cat(IntColumn::OfRows(
            rows, [&](const Row& row) { return from_of(row).step; },
            [&](const Row& row) { return int64_t{from_of(row).index}; },
            [&](const Row& row) { return to_of(row).step; },
            [&](const Row& row) { return int64_t{to_of(row).index}; },
            [&](const Row& row) {
              return static_cast<int64_t>(kind_of(row));
            }));
  }

  size_t size() const { return kind.size(); }
  Link operator[](size_t i) const {
    return {{from_step[i], static_cast<uint32_t>(from_index[i])},
            {to_step[i], static_cast<uint32_t>(to_index[i])},
            static_cast<LinkKind>(kind[i])};
  }
  size_t bytes() const {
    return from_step.bytes() + from_index.bytes() + to_step.bytes() +
           to_index.bytes() + kind.bytes();
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_LINKS_H_
