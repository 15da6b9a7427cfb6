#include "loaders/nodes/skipped_damage.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Treats the first '!' as damage.
std::optional<uint64_t> FindMark(std::string_view bytes,
                                 const util::Cancellation* cancellation) {
  const size_t at = bytes.find('!');
  if (at == bytes.npos || util::IsCancelled(cancellation)) return std::nullopt;
  return at;
}

constexpr Format kMarked = {.name = "Marked", .find_damage = FindMark};
constexpr Format kReadWhole = {.name = "ReadWhole"};

TEST(StructureTest, SaysWhereAFileIsDamaged) {
  ImportLog log;
  CheckStructure(kMarked, *InputFile::FromBytes("good", "abc"), nullptr, log);
  EXPECT_FALSE(log.damaged());
  CheckStructure(kMarked, *InputFile::FromBytes("bad", "ab!c"), nullptr, log);
  EXPECT_TRUE(log.damaged());
  EXPECT_THAT(log.Lines(),
              ElementsAre("bad: byte 2: a field inside a record is damaged, "
                          "and its content is missing; copy the file again"));
}

TEST(StructureTest, LargeFilesAreCheckedBesideTheLoad) {
  Format format = kMarked;
  format.check_beside_load = true;
  const std::string large(kCheckedBytes, 'x');
  const std::vector<FormatFile> files = {
      {.path = "good", .file = InputFile::FromBytes("good", large + "x")},
      {.path = "bad", .file = InputFile::FromBytes("bad", large + "!")},
      {.path = "small", .file = InputFile::FromBytes("small", "!")}};
  for (const int threads : {1, 2}) {
    CheckBesideLoad check(format, files, {.threads = threads});
    EXPECT_TRUE(check.Checks(files[0]));
    EXPECT_FALSE(check.Checks(files[2]));
    ImportLog log;
    check.Finish(log);
    EXPECT_THAT(
        log.Lines(),
        ElementsAre(testing::StartsWith("bad: byte 8388608: a field inside")));
  }
  CheckBesideLoad none(kMarked, files, {});
  EXPECT_FALSE(none.Checks(files[1]));
  ImportLog log;
  none.Finish(log);
  EXPECT_THAT(log.Lines(), IsEmpty());
}

TEST(StructureTest, AFormatThatReadsAllIsNotChecked) {
  ImportLog log;
  CheckStructure(kReadWhole, *InputFile::FromBytes("f", "!"), nullptr, log);
  EXPECT_THAT(log.Lines(), IsEmpty());
}

TEST(StructureTest, FilesThatAreGoneAreNotChecked) {
  auto bad = InputFile::FromBytes("bad", "!");
  const std::vector<UncheckedFile> files = {{bad, &kMarked}};
  ImportLog log;
  CheckStructure(files, nullptr, log);
  EXPECT_TRUE(log.damaged());
  bad.reset();
  ImportLog empty;
  CheckStructure(files, nullptr, empty);
  EXPECT_FALSE(empty.damaged());
}

}  // namespace
}  // namespace tfprof::loaders
