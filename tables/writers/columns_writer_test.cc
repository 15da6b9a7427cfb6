#include "tables/writers/columns_writer.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Reads what WriteColumns() wrote.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string Line() {
    const size_t end = rest_.find('\n');
    const std::string line(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return line;
  }
  template <typename Number>
  Number Next() {
    Number number;
    std::memcpy(&number, rest_.data(), sizeof(number));
    rest_.remove_prefix(sizeof(number));
    return number;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

DataDocument Numbered(size_t rows) {
  DataTable table;
  table.kind = "many";
  table.columns = {{.name = "name", .title = "name"},
                   {.name = "n", .title = "n", .unit = util::Unit::kNumber}};
  table.num_rows = table.total_rows = rows;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {row % 3 == 0 ? DataCell() : TextCell(row % 3 == 1 ? "a" : "b\n"),
             row % 5 == 0 ? DataCell() : DataCell(-static_cast<int64_t>(row))};
  };
  DataDocument document = {.kind = "rows"};
  document.parts.push_back({"Many", std::move(table)});
  return document;
}

TEST(ColumnsWriterTest, EveryValueOfEveryBatchIsThere) {
  for (const size_t rows :
       {size_t{0}, size_t{11}, kBatchRows, kBatchRows + 9}) {
    const std::string bytes =
        Written([&](util::Sink& sink) { WriteColumns(Numbered(rows), sink); });
    Reader reader(bytes);
    EXPECT_THAT(reader.Line(), StartsWith(R"({"schema":"tfprof.rows")"));
    for (size_t begin = 0; begin < rows; begin += kBatchRows) {
      const size_t end = std::min(rows, begin + kBatchRows);
      for (size_t row = begin; row < end; ++row) {
        ASSERT_EQ(reader.Next<uint32_t>(),
                  row % 3 == 0 ? UINT32_MAX : row % 3 - 1);
      }
      for (size_t row = begin; row < end; ++row) {
        ASSERT_EQ(reader.Next<int64_t>(),
                  row % 5 == 0 ? 0 : -static_cast<int64_t>(row));
      }
      for (size_t row = begin; row < end; row += 8) {
        const auto valid = reader.Next<uint8_t>();
        for (size_t i = 0; i < 8; ++i) {
          const size_t of = row + i;
          ASSERT_EQ((valid >> i) & 1, of < end && of % 5 != 0);
        }
      }
    }
    EXPECT_EQ(reader.Line(),
              rows == 0 ? R"({"texts":[[]]})" : R"({"texts":[["a","b\n"]]})");
    EXPECT_TRUE(reader.done());
  }
}

TEST(ColumnsWriterTest, TheFirstLineSaysWhatFollows) {
  const std::string bytes =
      Written([](util::Sink& sink) { WriteColumns(Several(), sink); });
  const std::string line = Reader(bytes).Line();
  EXPECT_THAT(line, HasSubstr(R"("batch_rows":65536)"));
  EXPECT_THAT(line, HasSubstr(R"("inputs":{"columns":[{"name":"name",)"
                              R"("unit":"text"}],"returned":2,"total":2)"));
  EXPECT_THAT(line, HasSubstr(R"("sizes":)"));
}

}  // namespace
}  // namespace tfprof::tables
