#include "loaders/session/zip_archive.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/sink.h"
#include "util/files/zip_writer.h"

namespace tfprof::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Number(uint64_t number, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(number >> (8 * i));
  }
  return bytes;
}

// A file of an archive, as its header says it is. The CRC of "text" is
// 0x3b8ba7c7.
struct Part {
  std::string name = "a";
  std::string data = "text";
  uint32_t crc = 0x3b8ba7c7;
  uint16_t flags = 0;
  uint16_t method = 0;  // 0: stored
  int64_t packed = -1;  // -1: the size of the data
  int64_t header = -1;  // where the directory says that it is
};

std::string Header(const Part& part) {
  const uint64_t packed =
      part.packed < 0 ? part.data.size() : static_cast<uint64_t>(part.packed);
  return "PK\3\4" + Number(20, 2) + Number(part.flags, 2) +
         Number(part.method, 2) + Number(0, 4) + Number(part.crc, 4) +
         Number(packed, 4) + Number(packed, 4) + Number(part.name.size(), 2) +
         Number(0, 2) + part.name + part.data;
}

// The archive; `count`: the files that the end of it says it has.
std::string Archive(const std::vector<Part>& parts, int64_t count = -1) {
  std::string files, directory;
  for (const Part& part : parts) {
    const uint64_t packed =
        part.packed < 0 ? part.data.size() : static_cast<uint64_t>(part.packed);
    const uint64_t header =
        part.header < 0 ? files.size() : static_cast<uint64_t>(part.header);
    directory += "PK\1\2" + Number(20, 2) + Number(20, 2) +
                 Number(part.flags, 2) + Number(part.method, 2) + Number(0, 4) +
                 Number(part.crc, 4) + Number(packed, 4) + Number(packed, 4) +
                 Number(part.name.size(), 2) + Number(0, 12) +
                 Number(header, 4) + part.name;
    files += Header(part);
  }
  const uint64_t number =
      count < 0 ? parts.size() : static_cast<uint64_t>(count);
  return files + directory + "PK\5\6" + Number(0, 4) + Number(number, 2) +
         Number(number, 2) + Number(directory.size(), 4) +
         Number(files.size(), 4) + Number(0, 2);
}

ZipArchive Opened(std::string bytes) {
  return ZipArchive(loaders::InputFile::FromBytes("z.zip", std::move(bytes)));
}

std::vector<std::string> Names(const ZipArchive& archive) {
  std::vector<std::string> names;
  for (const ZipArchive::Member& member : archive.members()) {
    names.push_back(member.name);
  }
  return names;
}

// What the first file of the archive has, or why it cannot be read.
std::string FirstOf(ZipArchive archive) {
  if (archive.members().empty()) return "no files";
  const auto file = archive.Read(archive.members()[0]);
  if (!file.ok()) return std::string(file.status().message());
  return std::string((*file)->bytes()) + "|" + std::string((*file)->damage());
}

TEST(ZipArchiveTest, MembersComeBackAsTheyWere) {
  util::StringSink sink;
  util::ZipWriter zip(sink);
  const std::string large(300000, 'x');
  zip.Add("a", "");
  zip.Add("b/c", "text");
  zip.Add("large", large);
  ASSERT_TRUE(zip.Finish().ok());
  ZipArchive archive(loaders::InputFile::FromBytes("z", sink.text()));
  EXPECT_THAT(archive.damage(), IsEmpty());
  ASSERT_EQ(archive.members().size(), 3u);
  for (const auto& [at, bytes] :
       {std::pair<size_t, std::string>(0, ""), {1, "text"}, {2, large}}) {
    const auto file = archive.Read(archive.members()[at]);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->bytes(), bytes);
    EXPECT_THAT((*file)->damage(), IsEmpty());
  }
}

TEST(ZipArchiveTest, AnArchiveHasAHeaderAtItsBeginning) {
  EXPECT_TRUE(IsZip(Archive({{}})));
  EXPECT_FALSE(IsZip(""));
  EXPECT_FALSE(IsZip("PK\3\4"));
  EXPECT_FALSE(IsZip(Archive({}))) << "without a file";
  EXPECT_FALSE(IsZip("x" + Archive({{}})));
}

TEST(ZipArchiveTest, StoredFilesAreRead) {
  EXPECT_EQ(FirstOf(Opened(Archive({{}}))), "text|");
  EXPECT_THAT(Names(Opened(Archive({{.name = "b"}, {.name = "a"}}))),
              ElementsAre("b", "a"));
  // A comment may be behind the end.
  EXPECT_EQ(FirstOf(Opened(Archive({{}}) + "comment")), "text|");
}

TEST(ZipArchiveTest, OfEqualNamesTheFirstCounts) {
  const std::string bytes =
      Archive({{.name = "a"}, {.name = "a", .data = "else", .crc = 1}});
  EXPECT_THAT(Names(Opened(bytes)), ElementsAre("a"));
  EXPECT_EQ(FirstOf(Opened(bytes)), "text|");
}

TEST(ZipArchiveTest, WhatIsWrongWithAFileIsSaid) {
  struct Case {
    Part part;
    const char* message;
  };
  for (const Case& c :
       {Case{{.crc = 7}, "text|z.zip/a: its checksum (CRC) is wrong"},
        Case{{.flags = 1}, "it is encrypted or a patch; expected a file that"},
        Case{{.flags = 32}, "it is encrypted or a patch; expected a file that"},
        Case{{.method = 99}, "it is packed by method 99; expected"},
        Case{{.header = 3}, "byte 3: expected the header of a file"},
        Case{{.header = 0xfffffff0}, "expected the header of a file"},
        Case{{.method = 8}, ""}}) {
    EXPECT_THAT(FirstOf(Opened(Archive({c.part}))), HasSubstr(c.message));
  }
  // "text" is nothing that was deflated.
  ZipArchive deflated = Opened(Archive({{.method = 8}}));
  const auto file = deflated.Read(deflated.members()[0]);
  EXPECT_TRUE(!file.ok() || !(*file)->damage().empty());
}

TEST(ZipArchiveTest, NamesAreEscapedInMessages) {
  EXPECT_THAT(FirstOf(Opened(Archive({{.name = "\x1b[2J", .crc = 7}}))),
              HasSubstr("z.zip/\\x1b[2J: "));
}

TEST(ZipArchiveTest, AFileThatIsLongerThanTheArchiveIsCutOff) {
  EXPECT_THAT(FirstOf(Opened(Archive({{.packed = 1 << 30}}))),
              HasSubstr("of its 1073741824 bytes are there"));
}

TEST(ZipArchiveTest, ADamagedDirectoryGivesWayToTheHeaders) {
  const std::string good = Archive({{.name = "a"}, {.name = "b"}});
  const size_t directory = good.find("PK\1\2");
  const size_t end = good.find("PK\5\6");
  std::string entry = good, far = good, zip64 = good, name = good;
  entry[directory] = 'x';
  far.replace(end + 16, 4, Number(end + 1, 4));
  zip64.replace(end + 16, 4, Number(0xffffffff, 4));
  name.replace(directory + 28, 2, Number(60000, 2));
  struct Case {
    std::string bytes;
    const char* damage;
  };
  for (const Case& c :
       {Case{entry, "the directory of the zip archive is damaged"},
        Case{far, "the directory of the zip archive is missing"},
        Case{zip64, "a zip archive of 4 GiB or more is not read"},
        Case{name, "the directory of the zip archive is damaged"},
        Case{Archive({{.name = "a"}, {.name = "b"}}, 3), "is damaged"},
        Case{good.substr(0, end), "the zip archive is cut off"},
        Case{good.substr(0, end + 21), "the zip archive is cut off"}}) {
    const ZipArchive archive = Opened(c.bytes);
    EXPECT_THAT(archive.damage(), HasSubstr(c.damage));
    EXPECT_THAT(Names(archive), ElementsAre("a", "b")) << c.damage;
    EXPECT_EQ(FirstOf(archive), "text|");
  }
}

TEST(ZipArchiveTest, WhatTheDirectorySaysIsChecked) {
  const std::string good = Archive({{.name = "a"}, {.name = "b"}});
  EXPECT_EQ(Opened(good).damage(), "");
  const size_t directory = good.find("PK\1\2");
  const size_t end = good.find("PK\5\6");
  std::string name = good, size = good, unpacked = good;
  name[directory + 46] = 'c';
  EXPECT_THAT(Opened(name).damage(),
              HasSubstr("byte 0: expected the header of c"));
  size.replace(end + 12, 4, Number(7, 4));
  EXPECT_THAT(Opened(size).damage(), HasSubstr("other sizes than its end"));
  unpacked.replace(directory + 24, 4, Number(7, 4));
  EXPECT_THAT(FirstOf(Opened(unpacked)), HasSubstr("has 4 bytes and not 7"));
}

TEST(ZipArchiveTest, HeadersAreWalkedToTheFirstThatIsNone) {
  const auto walked = [](const std::string& bytes) {
    return Names(Opened(bytes));
  };
  const std::string a = Header({.name = "a"}), b = Header({.name = "b"});
  EXPECT_THAT(walked(a + "garbage" + b), ElementsAre("a"));
  EXPECT_THAT(walked(a + b.substr(0, 20)), ElementsAre("a"));
  EXPECT_THAT(walked(a + b.substr(0, 30)), ElementsAre("a")) << "its name";
  // The data of the last one is cut off.
  EXPECT_THAT(walked(a + b.substr(0, b.size() - 2)), ElementsAre("a", "b"));
  // Its size is behind it, and stored data do not say where they end.
  const ZipArchive stored = Opened(Header({.flags = 8}) + b);
  EXPECT_THAT(Names(stored), ElementsAre("a"));
  EXPECT_THAT(FirstOf(stored), HasSubstr("stored without a size"));
}

TEST(ZipArchive, GapsAreWhatNobodyKnows) {
  const auto gaps = [](const std::string& bytes) {
    return ZipArchive(loaders::InputFile::FromBytes("a.zip", bytes)).Gaps();
  };
  const std::string whole = Archive({{}, {.name = "b"}});
  EXPECT_THAT(gaps(whole), IsEmpty());
  // Nothing refers to the second file.
  EXPECT_THAT(gaps(Archive({{}, {.name = "b", .header = 0}})),
              ElementsAre(ZipArchive::Place(35, 70)));
  // Without a directory, all behind the last file is lost.
  const std::string files = Header({}) + Header({.name = "b"});
  EXPECT_THAT(gaps(files + "more"), ElementsAre(ZipArchive::Place(70, 74)));
}

}  // namespace
}  // namespace tfprof::session
