#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "util/files/sink.h"
#include "util/files/zip_writer.h"

namespace tfprof::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kManifest =
    R"({"format":"tfprof session","version":1,"created_ns":1})";

std::string About(std::string_view id, std::string_view more) {
  return std::string(R"({"id":")") + std::string(id) + R"(","file":")" +
         std::string(id) +
         R"(.pb","client":"c1","row":0,"count":5,"step":null,"rank":null,)" +
         R"("kind":"run_metadata","graph":"","feeds":["x:0"])" +
         std::string(more) + "}";
}

class SessionTest : public loaders::FolderTest {
 protected:
  void Add(const std::string& name, std::string_view bytes) {
    files_.emplace_back(name, bytes);
  }
  void AddTrace(const std::string& id, std::string_view more = "") {
    Add("traces/" + id + ".about.json", About(id, more));
    Add("traces/" + id + ".pb",
        loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  }
  std::string WriteFolder() {
    for (const auto& [name, bytes] : files_) Write("s/" + name, bytes);
    return PathOf("s");
  }
  std::string Zip(const std::string& below = "") {
    util::StringSink sink;
    util::ZipWriter zip(sink);
    for (const auto& [name, bytes] : files_) zip.Add(below + name, bytes);
    EXPECT_TRUE(zip.Finish().ok());
    return sink.text();
  }
  // Returns the names of the steps.
  static std::vector<std::string> Names(const loaders::Loaded& loaded) {
    std::vector<std::string> names;
    const profile::StepIntervals& intervals = loaded.profile.step_intervals();
    for (size_t i = 0; i < intervals.size(); ++i) {
      names.emplace_back(loaded.profile.strings().Get(intervals[i].name));
    }
    return names;
  }

  std::vector<std::pair<std::string, std::string>> files_;
};

TEST_F(SessionTest, TracesAreStepsWithTheirNumbersAndNames) {
  Add("manifest.json", kManifest);
  AddTrace("000003", R"(,"row":2,"count":57)");
  AddTrace("000012");
  AddTrace("p41-1");
  const auto folder = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_THAT(Steps(*folder), ElementsAre(3, 12, 13));
  EXPECT_THAT(Names(*folder), ElementsAre("run 2, count 57", "run 0, count 5",
                                          "run 0, count 5"));
  EXPECT_FALSE(folder->log.damaged());
  const auto zip = loaders::LoadFiles({Write("s.zip", Zip())});
  ASSERT_TRUE(zip.ok()) << zip.status();
  EXPECT_EQ(Saved(*zip), Saved(*folder));
  const auto nested = loaders::LoadFiles({Write("n.zip", Zip("my session/"))});
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_EQ(Saved(*nested), Saved(*folder));
}

TEST_F(SessionTest, GraphsOfTheTracesAreLoaded) {
  Add("manifest.json", kManifest);
  AddTrace("000001", R"(,"graph":"g1")");
  Add("graphs/g1.pb", loaders::Binary<proto::GraphDef>(loaders::kGraph));
  Add("graphs/other.pb", "no graph");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), 3u);
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(SessionTest, OneCoverageForAllTraces) {
  Add("manifest.json", kManifest);
  AddTrace("000001", R"(,"graph":"g1")");
  AddTrace("000002", R"(,"graph":"g1")");
  Add("graphs/g1.pb", loaders::Binary<proto::GraphDef>(loaders::kGraph));
  const auto session = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(session.ok()) << session.status();
  const std::string graph = Write("graph.pbtxt", loaders::kGraph);
  const std::string run =
      Write("run_meta", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  const auto files = loaders::LoadFlagged(
      {{"graph_path", graph}, {"run_meta_path", run}, {"run_meta_path", run}});
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->coverage.size(), 2u);
  EXPECT_THAT(session->coverage, ElementsAre(files->coverage.back()));
}

TEST_F(SessionTest, RanksHaveLanesOfTheirOwn) {
  Add("manifest.json", kManifest);
  AddTrace("000001", R"(,"rank":0,"host":"a")");
  AddTrace("000002", R"(,"rank":1,"host":"a","client":"c2")");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Names(*loaded), ElementsAre("run 0, count 5", "run 0, count 5"));
  const profile::StepIntervals& intervals = loaded->profile.step_intervals();
  const profile::LaneTable& lanes = loaded->profile.lanes();
  EXPECT_EQ(lanes.process(intervals[0].process).label, "rank 0");
  EXPECT_EQ(lanes.process(intervals[1].process).label, "rank 1");
  EXPECT_EQ(lanes.process(intervals[1].process).rank, 1);
  // Both steps count: the node is on one device.
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros, 1),
            Sum(*loaded, accounting::kCpuMicros, 2));
}

TEST_F(SessionTest, ClientsWithoutRanksAreNotOneStep) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  AddTrace("000002", R"(,"client":"c2")");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Names(*loaded),
              ElementsAre("c1, run 0, count 5", "c2, run 0, count 5"));
}

TEST_F(SessionTest, SeveralSessionsStandBesideEachOther) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  const std::string one = WriteFolder();
  const std::string two = Write("two.zip", Zip());
  const auto loaded = loaders::LoadFiles({one, two});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(1, 2));
  const profile::StepIntervals& intervals = loaded->profile.step_intervals();
  EXPECT_NE(intervals[0].process, intervals[1].process);
}

TEST_F(SessionTest, ADamagedManifestIsSaidAndTheTracesAreRead) {
  Add("manifest.json", R"({"for)");
  AddTrace("000001");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Count(*loaded, "damaged manifest"), 1);
  EXPECT_THAT(Steps(*loaded), ElementsAre(1));
}

TEST_F(SessionTest, WhatIsMissingOrDamagedIsSaidAndTheRestIsRead) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  Add("traces/000002.about.json", About("000002", ""));  // no data
  AddTrace("000003", R"(,"graph":"gone")");
  Add("traces/000004.about.json",
      "{\"id\": \"0000");  // the facts are cut, the data is intact
  Add("traces/000004.pb",
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  Add("traces/000005.about.json", About("000005", ""));
  Add("traces/000005.pb", "This is no trace.");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Count(*loaded, "missing trace"), 1);
  EXPECT_EQ(Count(*loaded, "missing graph"), 1);
  EXPECT_EQ(Count(*loaded, "damaged facts"), 1);
  EXPECT_EQ(Count(*loaded, "damaged trace"), 1);
  EXPECT_THAT(Steps(*loaded), ElementsAre(1, 3, 4));
}

TEST_F(SessionTest, NothingToReadIsAnError) {
  Add("manifest.json", kManifest);
  EXPECT_THAT(Error(loaders::LoadFiles({WriteFolder()})),
              HasSubstr("has no trace"));
  Add("traces/000001.about.json", About("000001", ""));
  EXPECT_THAT(Error(loaders::LoadFiles({WriteFolder()})),
              HasSubstr("none of its 1 traces could be read"));
}

// The file outside of the session is a valid trace.
TEST_F(SessionTest, NamesNeverLeadOutOfTheSession) {
  Write("outside.pb", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  Add("manifest.json", kManifest);
  AddTrace("000001");
  for (const std::string_view name :
       {"../../outside.pb", "..", "/etc/passwd", ".hidden", "a/b.pb", ""}) {
    const std::string id = "00001" + std::to_string(files_.size() % 10);
    Add("traces/" + id + ".about.json",
        R"({"id":"x","kind":"run_metadata","file":")" + std::string(name) +
            "\"}");
  }
  AddTrace("000009", R"(,"graph":"../../outside")");
  const std::string folder = WriteFolder();
  std::filesystem::create_symlink("../../outside.pb",
                                  folder + "/traces/000030.pb");
  Write("s/traces/000030.about.json", About("000030", ""));
  const auto loaded = loaders::LoadFiles({folder});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(1, 9));
  EXPECT_EQ(Count(*loaded, "name outside of the session"), 5);
  // The missing traces are the link, and the empty name, which means ID.pb.
  EXPECT_EQ(Count(*loaded, "missing trace"), 2);
  EXPECT_EQ(Count(*loaded, "missing graph"), 1);

  Add("../outside.pb", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  Add("traces/../../x.pb",
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  const auto zip = loaders::LoadFiles({Write("s.zip", Zip())});
  ASSERT_TRUE(zip.ok()) << zip.status();
  EXPECT_EQ(Count(*zip, "name outside of the session"), 7);
  EXPECT_THAT(Steps(*zip), ElementsAre(1, 9));
}

TEST_F(SessionTest, AFolderThatIsALinkIsNotFollowed) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  const std::string folder = WriteFolder();
  Write("t/manifest.json", kManifest);
  std::filesystem::create_directory_symlink(folder + "/traces",
                                            PathOf("t") + "/traces");
  EXPECT_THAT(Error(loaders::LoadFiles({PathOf("t")})),
              HasSubstr("has no trace"));
}

// Every prefix of an archive is read as far as possible, or is an error.
TEST_F(SessionTest, ACutArchiveIsReadAsFarAsItGoes) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  AddTrace("000002");
  const std::string zip = Zip();
  size_t most = 0;
  for (size_t size = 30; size < zip.size(); size += 5) {
    const auto loaded = loaders::LoadFiles(
        {Write("s.zip", std::string_view(zip).substr(0, size))});
    if (!loaded.ok()) continue;
    EXPECT_TRUE(loaded->log.damaged()) << size;
    EXPECT_GE(loaded->profile.steps().size() + 1, most) << size;
    most = std::max(most, loaded->profile.steps().size());
  }
  EXPECT_EQ(most, 2u);
}

TEST_F(SessionTest, ChangedBytesOfAnArchiveAreNoCrash) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  const std::string zip = Zip();
  int loaded = 0;
  for (size_t at = 4; at < zip.size(); at += 3) {
    std::string changed = zip;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    loaded += loaders::LoadFiles({Write("s.zip", changed)}).ok();
  }
  EXPECT_GT(loaded, 0);
}

TEST_F(SessionTest, AnArchiveThatUnpacksToTooMuchIsRefused) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  // Three files with 120 MiB of zeros.
  const std::string zeros(size_t{120} << 20, '\0');
  for (const char* id : {"000002", "000003", "000004"}) {
    Add("traces/" + std::string(id) + ".about.json", About(id, ""));
    Add("traces/" + std::string(id) + ".pb", zeros);
  }
  const auto loaded = loaders::LoadFiles({Write("s.zip", Zip())});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(1));
  std::string texts;
  for (const std::string& line : loaded->log.Lines()) texts += line + "\n";
  EXPECT_THAT(texts, HasSubstr("000004.pb: "));
  EXPECT_THAT(texts, HasSubstr("the most that tfprof unpacks"));
}

TEST_F(SessionTest, TracesOfOtherKindsAreListed) {
  Add("manifest.json", kManifest);
  AddTrace("000001");
  Add("traces/000002.about.json",
      R"({"id":"000002","file":"000002.xplane.pb","kind":"xspace"})");
  Add("traces/000003.about.json", R"({"id":"000003","kind":"new"})");
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(1));
  EXPECT_THAT(loaded->log.Lines(),
              ElementsAre(HasSubstr("000003.pb: skipped: its kind is unknown"),
                          HasSubstr("tfprof --xplane_path " + PathOf("s") +
                                    "/traces/000002.xplane.pb")));
}

// A session of PyTorch, with and without Kineto.
TEST_F(SessionTest, TheNewestOfOtherKindsIsOpened) {
  Add("manifest.json", kManifest);
  Add("traces/000001.about.json",
      R"({"id":"000001","file":"000001.pt.trace.json","kind":"kineto",)"
      R"("start_ns":2})");
  Add("traces/000002.about.json",
      R"({"id":"000002","file":"000002.pt.trace.json","kind":"kineto",)"
      R"("start_ns":1})");
  const std::string events =
      R"([{"name":"aten::mm","ph":"X","ts":3,"dur":7,"tid":1,)"
      R"("pid":"CPU functions","args":{}}])";
  Add("traces/000001.pt.trace.json", events);
  Add("traces/000002.pt.trace.json", events);
  const auto loaded = loaders::LoadFiles({WriteFolder()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->log.damaged());
  EXPECT_THAT(loaded->log.Lines(),
              ElementsAre(HasSubstr("000001.pt.trace.json, is opened")));
  ASSERT_EQ(loaded->profile.steps().size(), 1u);
  EXPECT_EQ(loaded->profile.steps()[0]->num_records(), 1u);
}

TEST_F(SessionTest, AnotherManifestIsNoSession) {
  Write("s/manifest.json", R"({"name": "a web page"})");
  Write("s/run_meta_4", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  const auto loaded = loaders::LoadFiles({PathOf("s")});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(4));
}

}  // namespace
}  // namespace tfprof::session
