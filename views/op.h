// The op view: one row for each operation type.
//
// Totals are sums over a row and all rows after it in the chosen order, so the
// first row has 100 %. Behaviour: reference spec 7.

#ifndef TFPROF_VIEWS_OP_H_
#define TFPROF_VIEWS_OP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "views/multi_node.h"
#include "views/tree.h"

namespace tfprof::views {

// One row per op, sorted by name; the nodes of a row are sorted by name too.
struct OpRows {
  std::vector<std::string_view> names;
  std::vector<uint32_t> node_begin;  // one entry more than there are rows
  std::vector<profile::NodeId> nodes;

  std::span<const profile::NodeId> nodes_of(uint32_t row) const {
    return {nodes.data() + node_begin[row], nodes.data() + node_begin[row + 1]};
  }
};

OpRows BuildOpRows(ViewContext& context);

std::shared_ptr<const std::vector<Snapshot>> AccountOps(
    const OpRows& rows, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types);

struct ShownOp {
  uint32_t row = 0;
  accounting::Stats total = {};
};
struct ShownOps {
  accounting::Stats root_total = {};
  std::vector<ShownOp> rows;  // in display order
};

ShownOps DisplayOps(const OpRows& rows, const std::vector<Snapshot>& snapshots,
                    const ViewOptions& options);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_OP_H_
