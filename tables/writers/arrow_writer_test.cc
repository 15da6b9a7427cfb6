#include "tables/writers/arrow_writer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

// tests/fleet/arrow_test.py reads the streams with pyarrow.

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Number>
Number At(std::string_view bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

// A table of the header of a message.
class Table {
 public:
  explicit Table(std::string_view bytes)
      : Table(bytes, At<uint32_t>(bytes, 0)) {}

  template <typename Number>
  Number Get(uint16_t id) const {
    const size_t place = Place(id);
    return place == 0 ? Number{0} : At<Number>(bytes_, place);
  }
  Table Child(uint16_t id) const { return Table(bytes_, Target(id)); }
  // The pairs of a vector.
  std::vector<std::pair<int64_t, int64_t>> Pairs(uint16_t id) const {
    const size_t at = Target(id);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < At<uint32_t>(bytes_, at); ++i) {
      pairs.emplace_back(At<int64_t>(bytes_, at + 4 + 16 * i),
                         At<int64_t>(bytes_, at + 12 + 16 * i));
    }
    return pairs;
  }

 private:
  Table(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}

  size_t Place(uint16_t id) const {
    const size_t list = at_ - At<uint32_t>(bytes_, at_);
    if (4 + 2 * id >= At<uint16_t>(bytes_, list)) return 0;
    const auto place = At<uint16_t>(bytes_, list + 4 + 2 * id);
    return place == 0 ? 0 : at_ + place;
  }
  size_t Target(uint16_t id) const {
    return Place(id) + At<uint32_t>(bytes_, Place(id));
  }

  std::string_view bytes_;
  size_t at_;
};

struct Message {
  int kind;  // 1: schema, 2: texts, 3: rows
  std::string header;
  std::string body;

  Table header_table() const { return Table(header).Child(2); }
};

// The messages of each stream.
std::vector<std::vector<Message>> Streams(std::string_view bytes) {
  std::vector<std::vector<Message>> streams(1);
  while (!bytes.empty()) {
    EXPECT_EQ(At<uint32_t>(bytes, 0), UINT32_MAX);
    const size_t size = At<uint32_t>(bytes, 4);
    bytes.remove_prefix(8);
    if (size == 0) {
      if (!bytes.empty()) streams.emplace_back();
      continue;
    }
    EXPECT_EQ(size % 8, 0u);
    const std::string_view header = bytes.substr(0, size);
    const Table table(header);
    EXPECT_EQ(table.Get<int16_t>(0), 4);  // version 5
    const auto length = static_cast<size_t>(table.Get<int64_t>(3));
    streams.back().push_back({table.Get<uint8_t>(1), std::string(header),
                              std::string(bytes.substr(size, length))});
    bytes.remove_prefix(size + length);
  }
  return streams;
}

DataDocument Numbered(size_t rows) {
  DataTable table;
  table.kind = "many";
  table.columns = {{.name = "name", .title = "name"},
                   {.name = "n", .title = "n", .unit = util::Unit::kNumber},
                   {.name = "s", .title = "s", .unit = util::Unit::kShare}};
  table.num_rows = table.total_rows = rows;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {row % 3 == 0 ? DataCell() : TextCell(row % 3 == 1 ? "a" : "b\xff"),
             row % 5 == 0 ? DataCell() : DataCell(-static_cast<int64_t>(row)),
             static_cast<double>(row) / 2};
  };
  DataDocument document = {.kind = "rows"};
  document.parts.push_back({"Many", std::move(table)});
  return document;
}

std::vector<Message> Stream(const DataDocument& document) {
  return Streams(
      Written([&](util::Sink& sink) { WriteArrow(document, sink); }))[0];
}

TEST(ArrowWriterTest, EveryValueOfEveryBatchIsThere) {
  for (const size_t rows :
       {size_t{1}, size_t{11}, kArrowBatchRows, kArrowBatchRows + 9}) {
    size_t begin = 0;
    for (const Message& message : Stream(Numbered(rows))) {
      if (message.kind != 3) continue;
      const Table batch = message.header_table();
      const auto length = static_cast<size_t>(batch.Get<int64_t>(0));
      ASSERT_EQ(length, std::min(rows - begin, kArrowBatchRows));
      const auto buffers = batch.Pairs(2);
      ASSERT_EQ(buffers.size(), 6u);  // a bitmap and values, of three columns
      const auto at = [&](size_t buffer) {
        EXPECT_EQ(buffers[buffer].first % 8, 0);
        return std::string_view(message.body)
            .substr(static_cast<size_t>(buffers[buffer].first),
                    static_cast<size_t>(buffers[buffer].second));
      };
      const auto is_valid = [&](size_t buffer, size_t i) {
        return ((At<uint8_t>(at(buffer), i / 8) >> (i % 8)) & 1) != 0;
      };
      int64_t without_name = 0, without_number = 0;
      for (size_t i = 0; i < length; ++i) {
        const size_t row = begin + i;
        without_name += row % 3 == 0;
        without_number += row % 5 == 0;
        ASSERT_EQ(is_valid(0, i), row % 3 != 0);
        ASSERT_EQ(At<int32_t>(at(1), 4 * i),
                  std::max(static_cast<int>(row % 3) - 1, 0));
        ASSERT_EQ(is_valid(2, i), row % 5 != 0);
        ASSERT_EQ(At<int64_t>(at(3), 8 * i),
                  row % 5 == 0 ? 0 : -static_cast<int64_t>(row));
        ASSERT_EQ(At<double>(at(5), 8 * i), static_cast<double>(row) / 2);
      }
      EXPECT_EQ(at(4), "");  // no share is missing
      const auto rows_of = static_cast<int64_t>(length);
      EXPECT_THAT(batch.Pairs(1),
                  ElementsAre(std::pair(rows_of, without_name),
                              std::pair(rows_of, without_number),
                              std::pair(rows_of, int64_t{0})));
      begin += length;
    }
    EXPECT_EQ(begin, rows);
  }
}

TEST(ArrowWriterTest, EachBatchHasItsTextsInFrontOfIt) {
  DataDocument document = Numbered(2 * kArrowBatchRows + 1);
  DataTable& table = document.parts[0].table;
  table.columns.resize(1);
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {row < 2 * kArrowBatchRows ? TextCell("old\xff") : DataCell()};
  };
  std::vector<int> kinds;
  std::vector<std::string> texts;
  for (const Message& message : Stream(document)) {
    kinds.push_back(message.kind);
    if (message.kind != 2) continue;
    const Table dictionary = message.header_table();
    EXPECT_EQ(dictionary.Get<int64_t>(0), 0);  // of the first column
    EXPECT_EQ(dictionary.Get<uint8_t>(2), 0);  // replaces the one before
    const auto place = dictionary.Child(1).Pairs(2)[2];
    texts.push_back(message.body.substr(static_cast<size_t>(place.first),
                                        static_cast<size_t>(place.second)));
  }
  EXPECT_THAT(kinds, ElementsAre(1, 2, 3, 2, 3, 2, 3));
  EXPECT_THAT(texts, ElementsAre("old\xef\xbf\xbd", "old\xef\xbf\xbd", ""));
}

TEST(ArrowWriterTest, LongTextsEndABatch) {
  DataDocument document = Numbered(100);
  DataTable& table = document.parts[0].table;
  table.columns.resize(1);
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {TextCell(std::to_string(row) + std::string(1 << 20, 'x'))};
  };
  std::vector<int64_t> lengths;
  for (const Message& message : Stream(document)) {
    if (message.kind == 3) {
      lengths.push_back(message.header_table().Get<int64_t>(0));
    }
  }
  EXPECT_THAT(lengths, ElementsAre(64, 36));
}

TEST(ArrowWriterTest, EachTableIsAStreamThatSaysWhatItIs) {
  const auto streams =
      Streams(Written([](util::Sink& sink) { WriteArrow(Several(), sink); }));
  ASSERT_EQ(streams.size(), 3u);
  const std::string& schema = streams[0][0].header;
  EXPECT_EQ(streams[0][0].kind, 1);
  EXPECT_THAT(schema, HasSubstr("inputs"));
  EXPECT_THAT(schema,
              HasSubstr(R"({"schema":"tfprof.several","version":2,"facts":)"
                        R"({"step":-1,"nodes":10440},"returned":2,"total":2,)"
                        R"("truncated":false})"));
  EXPECT_EQ(streams[1].size(), 1u);  // no row: no batch, and no texts
  EXPECT_THAT(streams[2][0].header, HasSubstr(R"("truncated":true)"));
}

TEST(ArrowWriterTest, NothingIsWrittenThatIsNotWanted) {
  class Unwanted : public util::StringSink {
   public:
    bool wanted() const override { return false; }
  };
  Unwanted sink;
  WriteArrow(Numbered(100), sink);
  const auto streams = Streams(sink.text());
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0].size(), 1u);  // the schema
}

}  // namespace
}  // namespace tfprof::tables
