#include "loaders/tensorflow/checkpoint/sorted_table.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::pair<std::string, std::string>> Entries(
    const SortedTable& table, absl::Status* status) {
  std::vector<std::pair<std::string, std::string>> entries;
  *status = table.ForEach([&](const SortedTable::Entry& e) {
    entries.emplace_back(e.key, e.value);
    return absl::OkStatus();
  });
  return entries;
}

absl::Status Walk(std::string_view file) {
  absl::StatusOr<SortedTable> table = SortedTable::Open(file);
  if (!table.ok()) return table.status();
  absl::Status status;
  Entries(*table, &status);
  return status;
}

TEST(SortedTableTest, WalksAndFindsAllKeys) {
  // Keys share much, little or nothing, in blocks of both kinds.
  std::map<std::string, std::string> expected = {{"", "header"}};
  for (int i = 0; i < 300; ++i) {
    expected[fmt::format("layer{}/weights{}", i % 7, i * i)] =
        std::string(i, static_cast<char>(i));
  }
  expected[std::string("\x00\xff", 2)] = "zero";
  expected["\xff"] = "last";
  TableWriter writer;
  BlockWriter block;
  int in_block = 0;
  int blocks = 0;
  for (const auto& [key, value] : expected) {
    block.Add(key, value);
    if (++in_block < 10 && key != "\xff") continue;
    writer.AddBlock(key, block.Finish(),
                    ++blocks % 2 ? TableWriter::kPlain : TableWriter::kSnappy);
    block = BlockWriter();
    in_block = 0;
  }
  const std::string file = writer.Finish();
  absl::StatusOr<SortedTable> table = SortedTable::Open(file);
  ASSERT_TRUE(table.ok()) << table.status();
  absl::Status status;
  const auto entries = Entries(*table, &status);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(std::map(entries.begin(), entries.end()), expected);
  EXPECT_EQ(entries.size(), expected.size());

  for (const auto& [key, value] : expected) {
    absl::StatusOr<SortedTable::Value> found = table->Get(key);
    ASSERT_TRUE(found.ok()) << key << ": " << found.status();
    EXPECT_EQ(found->bytes, value);
    for (const std::string& absent :
         {key + '\0', key + "~", key.substr(0, key.size() / 2) + "\x01"}) {
      EXPECT_EQ(table->Get(absent).status().code(),
                absl::StatusCode::kNotFound);
    }
  }
}

TEST(SortedTableTest, StopsWhenTheVisitorDoes) {
  const std::string file = WriteTable({{"a", ""}, {"b", ""}});
  absl::StatusOr<SortedTable> table = SortedTable::Open(file);
  ASSERT_TRUE(table.ok());
  int calls = 0;
  const absl::Status status = table->ForEach([&](const SortedTable::Entry&) {
    ++calls;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status, absl::CancelledError("enough"));
  EXPECT_EQ(calls, 1);
}

TEST(SortedTableTest, NotATable) {
  EXPECT_EQ(Walk("").message(),
            "0 bytes, expected a table of at least 48; the file is not a "
            "checkpoint or cut off");
  EXPECT_EQ(Walk(std::string(60, 'x')).message(),
            "byte 52: 0x7878787878787878, expected the number of a table "
            "0xdb4775248b80fb57; the file is not a checkpoint or cut off");
}

TEST(SortedTableTest, ChecksumMismatch) {
  std::string file = WriteTable({{"key", "value"}});
  file[8] ^= 1;
  EXPECT_THAT(std::string(Walk(file).message()),
              AllOf(StartsWith("table block at byte 0: checksum 0x"),
                    HasSubstr(" of its 19 bytes, expected 0x")));
}

std::string OneBlock(std::string_view contents) {
  return TableWriter().AddBlock("z", contents).Finish();
}

TEST(SortedTableTest, DamagedBlocks) {
  const auto message = [](std::string_view block) {
    return std::string(Walk(OneBlock(block)).message());
  };
  EXPECT_THAT(message("abc"), HasSubstr("no room for the number of restart"));
  EXPECT_THAT(message(FixedBytes(9, 4)),
              HasSubstr("9 restart points do not fit into 4 bytes"));
  EXPECT_THAT(message(BlockWriter().AddRaw(1, 1, 0, "a").Finish()),
              HasSubstr("the key shares 1 bytes with a key of 0 bytes"));
  EXPECT_THAT(message(BlockWriter().AddRaw(0, 1, 9, "a").Finish()),
              HasSubstr("byte 3 of its contents: a key of 1 more bytes and a "
                        "value of 9 bytes do not fit into the 1 bytes left"));
  const uint64_t max = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(message(BlockWriter().AddRaw(0, max, max, "").Finish()),
              HasSubstr("do not fit into the 0 bytes left"));
  EXPECT_THAT(message(BlockWriter().Add("b", "").Add("a", "").Finish()),
              HasSubstr("not in ascending order"));
  EXPECT_THAT(message(BlockWriter().Add("a", "").Add("a", "").Finish()),
              HasSubstr("not in ascending order"));
}

TEST(SortedTableTest, BlocksOutOfOrder) {
  const std::string file =
      TableWriter()
          .AddBlock("b", BlockWriter().Add("b", "").Finish())
          .AddBlock("c", BlockWriter().Add("a", "").Finish())
          .Finish();
  EXPECT_THAT(std::string(Walk(file).message()),
              HasSubstr("its first key is not above the last of the block"));
}

TEST(SortedTableTest, BadCompression) {
  EXPECT_THAT(
      std::string(
          Walk(TableWriter().AddStored("a", "....", 7).Finish()).message()),
      StartsWith("table block at byte 0: compression 7, expected"));
  // The block has 12 bytes that claim to hold a gigabyte.
  EXPECT_THAT(
      std::string(Walk(TableWriter()
                           .AddStored("a", VarintBytes(1 << 30) + "1234567",
                                      TableWriter::kSnappy)
                           .Finish())
                      .message()),
      HasSubstr("12 bytes of snappy cannot hold 1073741824 bytes"));
  EXPECT_THAT(std::string(Walk(TableWriter()
                                   .AddStored("a", VarintBytes(50) + "abcdefg",
                                              TableWriter::kSnappy)
                                   .Finish())
                              .message()),
              HasSubstr("8 bytes are not valid snappy"));
}

TEST(SortedTableTest, AnEmptyTable) {
  const std::string file = WriteTable({});
  const absl::StatusOr<SortedTable> table = SortedTable::Open(file);
  ASSERT_TRUE(table.ok()) << table.status();
  absl::Status status;
  EXPECT_THAT(Entries(*table, &status), IsEmpty());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(table->Get("").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(table->Get("key").status().code(), absl::StatusCode::kNotFound);
}

// A value of a compressed block lives as long as its Value.
TEST(SortedTableTest, ValuesOwnWhatWasDecompressed) {
  const std::string value(1000, 'v');
  const std::string file =
      TableWriter()
          .AddBlock("key", BlockWriter().Add("key", value).Finish(),
                    TableWriter::kSnappy)
          .Finish();
  const absl::StatusOr<SortedTable> table = SortedTable::Open(file);
  ASSERT_TRUE(table.ok());
  absl::StatusOr<SortedTable::Value> found = table->Get("key");
  ASSERT_TRUE(found.ok()) << found.status();
  const SortedTable::Value moved = *std::move(found);
  EXPECT_NE(moved.storage, nullptr);
  EXPECT_EQ(moved.bytes, value);
  // The value of a plain block is a view into the file.
  const std::string plain = WriteTable({{"key", value}});
  const absl::StatusOr<SortedTable> plain_table = SortedTable::Open(plain);
  ASSERT_TRUE(plain_table.ok());
  const absl::StatusOr<SortedTable::Value> in_file = plain_table->Get("key");
  ASSERT_TRUE(in_file.ok());
  EXPECT_EQ(in_file->storage, nullptr);
  EXPECT_GE(in_file->bytes.data(), plain.data());
  EXPECT_LT(in_file->bytes.data(), plain.data() + plain.size());
}

TEST(SortedTableTest, AFileWithoutItsBeginning) {
  const std::string file = WriteTable({{"key", "value"}});
  for (size_t cut = 1; cut < file.size(); ++cut) {
    EXPECT_FALSE(Walk(std::string_view(file).substr(cut)).ok()) << cut;
  }
}

}  // namespace
}  // namespace tfprof::tensorflow
