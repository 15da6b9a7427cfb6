#include "exporters/reference/proto.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tables/row_details.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {

using Row = views::Report::Row;

struct StatField {
  accounting::Stat stat;
  uint32_t own;    // 0: the message has none
  uint32_t total;  // 0: the message has none
};

// The fields of GraphNodeProto and MultiGraphNodeProto, in the order of their
// numbers. Children are in the middle: the fields before them form the head of
// a row, the fields after them its tail.
struct RowFields {
  uint32_t children;
  std::vector<std::pair<uint32_t, std::pair<accounting::Stat, bool>>>
      stats;  // true: total
};

constexpr uint32_t kName = 1;

constexpr uint32_t kNodeChildren = 12;
constexpr StatField kNodeStats[] = {
    {accounting::kMicros, 2, 6},
    {accounting::kRequestedBytes, 3, 7},
    {accounting::kParameters, 4, 8},
    {accounting::kFloatOps, 13, 14},
    {accounting::kAcceleratorMicros, 17, 19},
    {accounting::kCpuMicros, 18, 20},
    {accounting::kRunCount, 21, 22},
    {accounting::kPeakBytes, 24, 27},
    {accounting::kResidualBytes, 25, 28},
    {accounting::kOutputBytes, 26, 29},
};
constexpr uint32_t kNodeDevices = 10;
constexpr uint32_t kNodeTensor = 15;
constexpr uint32_t kNodeInputShapes = 16;
constexpr uint32_t kNodeDefinitions = 23;

constexpr uint32_t kMultiNodes = 10;
constexpr uint32_t kMultiChildren = 11;
constexpr StatField kMultiStats[] = {
    {accounting::kMicros, 2, 6},
    {accounting::kRequestedBytes, 3, 7},
    {accounting::kParameters, 4, 8},
    {accounting::kFloatOps, 5, 9},
    {accounting::kAcceleratorMicros, 12, 14},
    {accounting::kCpuMicros, 13, 15},
    {accounting::kPeakBytes, 16, 19},
    {accounting::kResidualBytes, 17, 20},
    {accounting::kOutputBytes, 18, 21},
};

template <size_t count>
RowFields FieldsOf(const StatField (&stats)[count], uint32_t children) {
  RowFields fields = {.children = children, .stats = {}};
  for (const StatField& s : stats) {
    fields.stats.push_back({s.own, {s.stat, false}});
    fields.stats.push_back({s.total, {s.stat, true}});
  }
  std::sort(fields.stats.begin(), fields.stats.end());
  return fields;
}

// The bytes of one row without its children.
struct Encoded {
  util::WireWriter head, tail;

  void Clear() {
    head.Truncate(0);
    tail.Truncate(0);
  }
  size_t size() const { return head.size() + tail.size(); }
};

class RowEncoder {
 public:
  RowEncoder(const views::Report& report, const profile::TensorSource* tensors)
      : report_(report),
        profile_(*report.profile),
        tensors_(report.options.select.Has(views::Field::kTensorValue)
                     ? tensors
                     : nullptr),
        node_(FieldsOf(kNodeStats, kNodeChildren)),
        multi_(FieldsOf(kMultiStats, kMultiChildren)) {}

  bool is_multi() const {
    return report_.view == views::View::kOp ||
           report_.view == views::View::kCode;
  }
  uint32_t children() const {
    return is_multi() ? kMultiChildren : kNodeChildren;
  }

  // `row` belongs to the report; `is_root` means that it represents all rows.
  void Encode(const Row& row, bool is_root, Encoded& out) const {
    out.Clear();
    if (is_multi()) return EncodeMulti(row, is_root, out);
    EncodeNode({.name = row.name,
                .node = row.node,
                .own = row.self,
                .total = row.total,
                .definitions = row.definitions,
                .tensor = !is_root},
               out);
  }

  // Encodes the root of op, which is no row of the report.
  void EncodeOpRoot(Encoded& out) const {
    out.Clear();
    out.head.Bytes(kName, views::kRootName);
    WriteStats(multi_, {}, report_.root_total, out);
  }

 private:
  struct NodeRow {
    std::string_view name;
    profile::NodeId node = profile::kNone;
    const accounting::Stats& own;
    const accounting::Stats& total;
    int64_t definitions = 0;
    bool tensor = false;
  };

  void WriteStat(uint32_t field, accounting::Stat stat, int64_t value,
                 Encoded& out, uint32_t children) const {
    const bool time = accounting::StatisticOf(stat).unit == util::Unit::kMicros;
    (field < children ? out.head : out.tail)
        .Int64IfSet(field, time ? profile_.Micros(value) : value);
  }

  void WriteStats(const RowFields& fields, const accounting::Stats& own,
                  const accounting::Stats& total, Encoded& out) const {
    for (const auto& [field, stat] : fields.stats) {
      WriteStat(field, stat.first, (stat.second ? total : own)[stat.first], out,
                fields.children);
    }
  }

  void EncodeNode(const NodeRow& row, Encoded& out) const {
    const profile::NodeTable& nodes = profile_.nodes();
    out.head.BytesIfSet(kName, row.name);
    const auto stats = [&](uint32_t begin, uint32_t end) {
      for (const auto& [field, stat] : node_.stats) {
        if (field < begin || field >= end) continue;
        WriteStat(field, stat.first,
                  (stat.second ? row.total : row.own)[stat.first], out,
                  kNodeChildren);
      }
    };
    stats(0, kNodeDevices);
    if (row.node != profile::kNone &&
        nodes.device[row.node] != profile::kNone) {
      out.head.Bytes(kNodeDevices,
                     profile_.devices().name(nodes.device[row.node]));
    }
    stats(kNodeDevices, kNodeTensor);
    if (row.tensor) WriteTensor(row.name, out.tail);
    if (row.node != profile::kNone) WriteInputShapes(row.node, out.tail);
    stats(kNodeInputShapes, kNodeDefinitions);
    out.tail.Int64IfSet(kNodeDefinitions, row.definitions);
    stats(kNodeDefinitions, UINT32_MAX);
  }

  void EncodeMulti(const Row& row, bool is_root, Encoded& out) const {
    out.head.BytesIfSet(kName, row.name);
    for (const auto& [field, stat] : multi_.stats) {
      if (field > kMultiChildren) break;
      WriteStat(field, stat.first,
                (stat.second ? row.total : row.self)[stat.first], out,
                kMultiChildren);
    }
    if (!is_root) {
      Encoded encoded;
      for (const profile::NodeId n : report_.NodesOf(row)) {
        const accounting::Stats& stats = (*report_.node_stats)[n];
        encoded.Clear();
        EncodeNode({.name = profile_.node_name(n),
                    .node = n,
                    .own = stats,
                    .total = stats,
                    .definitions = 1,
                    .tensor = false},
                   encoded);
        out.head.Open(kMultiNodes, encoded.size());
        out.head.Raw(encoded.head.bytes());
        out.head.Raw(encoded.tail.bytes());
      }
    }
    for (const auto& [field, stat] : multi_.stats) {
      if (field < kMultiChildren) continue;
      WriteStat(field, stat.first,
                (stat.second ? row.total : row.self)[stat.first], out,
                kMultiChildren);
    }
  }

  void WriteShape(uint32_t field, std::span<const int64_t> dims,
                  util::WireWriter& out) const {
    constexpr uint32_t kDim = 2, kUnknownRank = 3, kSize = 1;
    const util::WireMessage shape(out, field);
    if (dims.empty()) out.Int64(kUnknownRank, 1);
    for (const int64_t size : dims) {
      const util::WireMessage dim(out, kDim);
      out.Int64IfSet(kSize, size);
    }
  }

  void WriteInputShapes(profile::NodeId node, util::WireWriter& out) const {
    constexpr uint32_t kKey = 1, kValue = 2;
    const profile::NodeTable& nodes = profile_.nodes();
    for (uint32_t e = nodes.edge_begin[node]; e < nodes.edge_begin[node + 1];
         ++e) {
      const util::WireMessage entry(out, kNodeInputShapes);
      out.Int64(kKey, nodes.Position(node, e));
      WriteShape(kValue,
                 profile_.graph().shapes[nodes.InputShape(
                     node, e, report_.options.real_output_index)],
                 out);
    }
  }

  void WriteTensor(std::string_view name, util::WireWriter& out) const {
    constexpr uint32_t kDtype = 1, kDouble = 2, kInt64 = 3, kString = 4;
    if (tensors_ == nullptr) return;
    const auto tensor = tensors_->Read(name);
    if (!tensor.ok()) return;
    const util::WireMessage message(out, kNodeTensor);
    out.Int64IfSet(kDtype, tensor->dtype);
    if (!tensor->doubles.empty()) {
      out.Open(kDouble, sizeof(double) * tensor->doubles.size());
      out.Raw({reinterpret_cast<const char*>(tensor->doubles.data()),
               sizeof(double) * tensor->doubles.size()});
    }
    out.PackedInt64(kInt64, tensor->ints);
    for (const std::string& value : tensor->strings) out.Bytes(kString, value);
  }

  const views::Report& report_;
  const profile::Profile& profile_;
  const profile::TensorSource* tensors_;
  const RowFields node_, multi_;
};

// Collects bytes and writes them in larger pieces.
class PieceSink {
 public:
  explicit PieceSink(util::Sink& sink) : sink_(sink) {}
  ~PieceSink() { sink_.Write(buffer_.bytes()); }

  void Raw(std::string_view bytes) {
    buffer_.Raw(bytes);
    Flush();
  }
  void Open(uint32_t field, size_t length) { buffer_.Open(field, length); }

 private:
  void Flush() {
    constexpr size_t kPiece = 1 << 16;
    if (buffer_.size() < kPiece) return;
    sink_.Write(buffer_.bytes());
    buffer_.Truncate(0);
  }

  util::Sink& sink_;
  util::WireWriter buffer_;
};

}  // namespace

void WriteReportProto(const views::Report& report,
                      const profile::TensorSource* tensors, util::Sink& sink) {
  const RowEncoder encoder(report, tensors);
  const bool op = report.view == views::View::kOp;
  // Message 0 is the root. In op, rows follow it; otherwise the root is row 0.
  const size_t count = report.rows.size() + (op ? 1 : 0);
  const auto encode = [&](size_t i, Encoded& out) {
    if (op && i == 0) return encoder.EncodeOpRoot(out);
    encoder.Encode(report.rows[op ? i - 1 : i], i == 0, out);
  };
  const auto depth = [&](size_t i) {
    return op ? i : size_t{report.rows[i].depth};
  };
  const size_t tag = util::VarintSize(uint64_t{encoder.children()} << 3);

  // Computes the sizes from the last row backwards, so that the sizes of all
  // children are known before their parent's.
  std::vector<size_t> size(count);
  std::vector<size_t> below;  // by depth: bytes of children so far
  Encoded encoded;
  for (size_t i = count; i-- > 0;) {
    encode(i, encoded);
    const size_t level = depth(i);
    if (below.size() < level + 2) below.resize(level + 2, 0);
    size[i] = encoded.size() + std::exchange(below[level + 1], 0);
    below[level] += tag + util::VarintSize(size[i]) + size[i];
  }

  PieceSink out(sink);
  // The tails of the rows whose children are being written, by depth.
  std::vector<std::string> tails;
  const auto close = [&](size_t level) {
    for (; tails.size() > level; tails.pop_back()) out.Raw(tails.back());
  };
  for (size_t i = 0; i < count && sink.wanted(); ++i) {
    close(depth(i));
    encode(i, encoded);
    if (i > 0) out.Open(encoder.children(), size[i]);
    out.Raw(encoded.head.bytes());
    tails.emplace_back(encoded.tail.bytes());
  }
  close(0);
}

}  // namespace tfprof::exporters
