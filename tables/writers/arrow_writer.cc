#include "tables/writers/arrow_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tables/writers/flat_buffer.h"
#include "tables/writers/json_parts.h"
#include "util/text/utf8.h"

namespace tfprof::tables {
namespace {

static_assert(std::endian::native == std::endian::little);

// Numbers of Arrow's format: of the version, of messages, and of types.
constexpr int64_t kVersion5 = 4;
constexpr int64_t kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3;
constexpr int64_t kInt = 2, kFloatingPoint = 3, kUtf8 = 5;
constexpr int64_t kDouble = 2;

constexpr std::string_view kContinues = "\xff\xff\xff\xff";
constexpr size_t kAlignment = 8;
// Of the texts of a column in a batch; their offsets have 31 bits.
constexpr size_t kMostTextBytes = 64 << 20;
// The index of a missing text. Some readers refuse one that cannot be an index.
constexpr int32_t kNoText = 0;

template <typename Number>
void AppendRaw(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <typename Number>
std::string_view BytesOf(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(Number)};
}

size_t Padded(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void WritePadded(std::string_view bytes, util::Sink& sink) {
  sink.Write(bytes);
  sink.Write(std::string(Padded(bytes.size()) - bytes.size(), '\0'));
}

// A message: its header, and the buffers of its body.
void WriteMessage(const FlatBuffer& header,
                  std::span<const std::string_view> buffers, util::Sink& sink) {
  std::string begin(kContinues);
  AppendRaw(static_cast<uint32_t>(Padded(header.bytes().size())), begin);
  sink.Write(begin);
  WritePadded(header.bytes(), sink);
  for (const std::string_view buffer : buffers) WritePadded(buffer, sink);
}

// Adds the table Message, and points it to `header`, which is added next.
size_t AddMessage(int64_t kind, size_t body_bytes, FlatBuffer& out) {
  return out.AddTable({{0, 2, kVersion5},
                       {1, 1, kind},
                       {2, 4},
                       {3, 8, static_cast<int64_t>(body_bytes)}});
}

size_t BodyBytes(std::span<const std::string_view> buffers) {
  size_t bytes = 0;
  for (const std::string_view buffer : buffers) bytes += Padded(buffer.size());
  return bytes;
}

// Adds the table RecordBatch. `nulls` has a number for each column.
size_t AddBatch(size_t rows, std::span<const size_t> nulls,
                std::span<const std::string_view> buffers, FlatBuffer& out) {
  std::vector<FlatPair> nodes, places;
  for (const size_t missing : nulls) {
    nodes.push_back(
        {static_cast<int64_t>(rows), static_cast<int64_t>(missing)});
  }
  size_t at = 0;
  for (const std::string_view buffer : buffers) {
    places.push_back(
        {static_cast<int64_t>(at), static_cast<int64_t>(buffer.size())});
    at += Padded(buffer.size());
  }
  const size_t batch =
      out.AddTable({{0, 8, static_cast<int64_t>(rows)}, {1, 4}, {2, 4}});
  out.Point(batch, 1, out.AddPairs(nodes));
  out.Point(batch, 2, out.AddPairs(places));
  return batch;
}

// The table KeyValue for each pair.
size_t AddMetadata(
    std::initializer_list<std::pair<std::string_view, std::string_view>> pairs,
    FlatBuffer& out) {
  const size_t vector = out.AddOffsets(pairs.size());
  size_t index = 0;
  for (const auto& [key, value] : pairs) {
    const size_t pair = out.AddTable({{0, 4}, {1, 4}});
    out.PointElement(vector, index++, pair);
    out.Point(pair, 0, out.AddText(key));
    out.Point(pair, 1, out.AddText(value));
  }
  return vector;
}

size_t AddIntType(int64_t bits, FlatBuffer& out) {
  return out.AddTable({{0, 4, bits}, {1, 1, true}});
}

bool IsText(const DataColumn& column) {
  return column.unit == util::Unit::kText;
}

bool IsDouble(const DataColumn& column) {
  return column.unit == util::Unit::kShare;
}

// Adds the table Field. A column of texts has dictionary `number`.
size_t AddField(const DataColumn& column, size_t number, FlatBuffer& out) {
  const size_t field =
      IsText(column)
          ? out.AddTable({{0, 4},
                          {1, 1, true},
                          {2, 1, kUtf8},
                          {3, 4},
                          {4, 4},
                          {5, 4},
                          {6, 4}})
          : out.AddTable({{0, 4},
                          {1, 1, true},
                          {2, 1, IsDouble(column) ? kFloatingPoint : kInt},
                          {3, 4},
                          {5, 4},
                          {6, 4}});
  out.Point(field, 0, out.AddText(column.name));
  if (IsText(column)) {
    out.Point(field, 3, out.AddTable({}));
    const size_t dictionary = out.AddTable(
        {{0, 8, static_cast<int64_t>(number)}, {1, 4}, {2, 1, false}});
    out.Point(field, 4, dictionary);
    out.Point(dictionary, 1, AddIntType(32, out));
  } else {
    out.Point(field, 3,
              IsDouble(column) ? out.AddTable({{0, 2, kDouble}})
                               : AddIntType(64, out));
  }
  out.Point(field, 5, out.AddOffsets(0));
  out.Point(field, 6,
            AddMetadata({{"unit", util::UnitName(column.unit)}}, out));
  return field;
}

void WriteSchema(const DataTable& table, std::string_view facts,
                 util::Sink& sink) {
  FlatBuffer out;
  const size_t message = AddMessage(kSchema, 0, out);
  const size_t schema = out.AddTable({{0, 2, 0}, {1, 4}, {2, 4}});
  out.Point(message, 2, schema);
  const size_t fields = out.AddOffsets(table.columns.size());
  out.Point(schema, 1, fields);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    out.PointElement(fields, c, AddField(table.columns[c], c, out));
  }
  out.Point(schema, 2,
            AddMetadata({{"table", table.kind}, {"tfprof", facts}}, out));
  WriteMessage(out, {}, sink);
}

// The texts of a column in a batch.
class Dictionary {
 public:
  int32_t IndexOf(const std::string& text) {
    // Rows beside each other often have the same device, lane and operation.
    if (last_ != nullptr && last_->first == text) return last_->second;
    const auto [at, is_new] =
        indexes_.try_emplace(text, static_cast<int32_t>(indexes_.size()));
    if (is_new) {
      if (util::IsAscii(text)) {
        bytes_ += text;
      } else {
        bytes_ += util::ValidUtf8(text);
      }
      AppendRaw(static_cast<int32_t>(bytes_.size()), offsets_);
    }
    last_ = &*at;
    return at->second;
  }

  size_t bytes() const { return bytes_.size(); }

  // Writes the texts as those of column `number`, and forgets them.
  void Write(size_t number, util::Sink& sink) {
    const std::vector<std::string_view> buffers = {"", offsets_, bytes_};
    FlatBuffer out;
    const size_t message =
        AddMessage(kDictionaryBatch, BodyBytes(buffers), out);
    const size_t dictionary =
        out.AddTable({{0, 8, static_cast<int64_t>(number)}, {1, 4}});
    out.Point(message, 2, dictionary);
    const size_t nulls[] = {0};
    out.Point(dictionary, 1, AddBatch(indexes_.size(), nulls, buffers, out));
    WriteMessage(out, buffers, sink);
    last_ = nullptr;
    indexes_.clear();
    bytes_.clear();
    offsets_.assign(sizeof(int32_t), '\0');
  }

 private:
  absl::flat_hash_map<std::string, int32_t> indexes_;
  const std::pair<const std::string, int32_t>* last_ = nullptr;  // of indexes_
  std::string bytes_;
  std::string offsets_ = std::string(sizeof(int32_t), '\0');
};

// The values of a column in a batch.
class ArrowColumn {
 public:
  explicit ArrowColumn(const DataColumn& column)
      : is_text_(IsText(column)), is_double_(IsDouble(column)) {}

  Dictionary* dictionary() { return is_text_ ? &dictionary_ : nullptr; }

  void Add(const DataCell& cell) {
    const bool is_valid = is_text_     ? AddText(cell)
                          : is_double_ ? AddDouble(cell)
                                       : AddInteger(cell);
    if (!is_valid) missing_.push_back(rows_);
    ++rows_;
  }

  size_t nulls() const { return missing_.size(); }
  // A bit for each row that has a value; empty if all have one.
  std::string_view Bitmap() {
    bitmap_.clear();
    if (missing_.empty()) return bitmap_;
    bitmap_.assign((rows_ + 7) / 8, '\xff');
    const auto clear = [this](size_t row) {
      bitmap_[row / 8] = static_cast<char>(
          static_cast<unsigned char>(bitmap_[row / 8]) & ~(1u << (row % 8)));
    };
    for (const size_t row : missing_) clear(row);
    for (size_t row = rows_; row < bitmap_.size() * 8; ++row) clear(row);
    return bitmap_;
  }
  std::string_view values() const {
    return is_text_ ? BytesOf(indexes_) : BytesOf(numbers_);
  }

  void Clear() {
    indexes_.clear();
    numbers_.clear();
    missing_.clear();
    rows_ = 0;
  }

 private:
  bool AddText(const DataCell& cell) {
    const auto* const text = std::get_if<std::string>(&cell);
    indexes_.push_back(text == nullptr ? kNoText : dictionary_.IndexOf(*text));
    return text != nullptr;
  }

  bool AddInteger(const DataCell& cell) {
    const auto* const integer = std::get_if<int64_t>(&cell);
    numbers_.push_back(integer == nullptr ? 0 : *integer);
    return integer != nullptr;
  }

  bool AddDouble(const DataCell& cell) {
    const auto* const integer = std::get_if<int64_t>(&cell);
    const auto* const real = std::get_if<double>(&cell);
    numbers_.push_back(std::bit_cast<int64_t>(
        integer != nullptr ? static_cast<double>(*integer)
        : real != nullptr  ? *real
                           : 0.0));
    return integer != nullptr || real != nullptr;
  }

  const bool is_text_;
  const bool is_double_;
  std::vector<int32_t> indexes_;  // of texts
  std::vector<int64_t> numbers_;  // other values; of a double, its bits
  std::vector<size_t> missing_;   // the rows without a value
  std::string bitmap_;
  size_t rows_ = 0;
  Dictionary dictionary_;
};

void WriteBatch(size_t rows, std::vector<ArrowColumn>& columns,
                util::Sink& sink) {
  std::vector<std::string_view> buffers;
  std::vector<size_t> nulls;
  for (size_t c = 0; c < columns.size(); ++c) {
    ArrowColumn& column = columns[c];
    if (column.dictionary() != nullptr) column.dictionary()->Write(c, sink);
    nulls.push_back(column.nulls());
    buffers.push_back(column.Bitmap());
    buffers.push_back(column.values());
  }
  FlatBuffer out;
  const size_t message = AddMessage(kRecordBatch, BodyBytes(buffers), out);
  out.Point(message, 2, AddBatch(rows, nulls, buffers, out));
  WriteMessage(out, buffers, sink);
  for (ArrowColumn& column : columns) column.Clear();
}

void WriteRows(const DataTable& table, util::Sink& sink) {
  std::vector<ArrowColumn> columns(table.columns.begin(), table.columns.end());
  std::vector<DataCell> cells;
  size_t rows = 0;  // of the batch
  const auto texts_are_long = [&] {
    return std::any_of(columns.begin(), columns.end(), [](ArrowColumn& column) {
      return column.dictionary() != nullptr &&
             column.dictionary()->bytes() > kMostTextBytes;
    });
  };
  for (size_t row = 0; row < table.num_rows; ++row) {
    if (rows == 0 && !sink.wanted()) return;
    table.cells(row, cells);
    for (size_t c = 0; c < columns.size(); ++c) columns[c].Add(cells[c]);
    ++rows;
    if (rows == kArrowBatchRows || (rows % 8 == 0 && texts_are_long())) {
      WriteBatch(rows, columns, sink);
      rows = 0;
    }
  }
  if (rows > 0) WriteBatch(rows, columns, sink);
}

}  // namespace

void WriteArrow(const DataDocument& document, util::Sink& sink) {
  for (const auto& [title, table] : document.parts) {
    std::string facts = "{";
    AppendJsonHead(document.kind, document.facts, "", &facts);
    facts += ',';
    AppendJsonCounts(table, &facts);
    facts += '}';
    WriteSchema(table, facts, sink);
    WriteRows(table, sink);
    if (!sink.wanted()) return;
    std::string end(kContinues);
    AppendRaw(uint32_t{0}, end);
    sink.Write(end);
  }
}

}  // namespace tfprof::tables
