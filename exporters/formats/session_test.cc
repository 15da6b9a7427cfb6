#include "exporters/formats/session.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/run_metadata.pb.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class NewSessionTest : public loaders::FolderTest {
 protected:
  NewSessionTest() {
    const auto run = loaders::InputFile::FromBytes(
        "run", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
    session_.runs = {{.file = run, .rank = 0, .row = 2, .number = 1},
                     {.file = run, .rank = 1, .row = 2, .number = 1}};
    session_.rows = {{.rank = 0, .row = 2, .fetches = "a \"b\"", .runs = 9}};
  }
  static std::vector<std::string> Names(const SessionParts& parts) {
    std::vector<std::string> names;
    for (const SessionPart& part : parts) names.push_back(part.name);
    return names;
  }
  static std::string Zip(const SessionParts& parts) {
    util::StringSink sink;
    EXPECT_TRUE(WriteZip(parts, sink).ok());
    return sink.text();
  }

  NewSession session_;
};

TEST_F(NewSessionTest, HasAPartForEachFileInOneOrder) {
  EXPECT_THAT(Names(MakeSession(session_)),
              ElementsAre("clients/c1.json", "clients/c2.json", "manifest.json",
                          "traces/000001.about.json", "traces/000001.pb",
                          "traces/000002.about.json", "traces/000002.pb"));
}

TEST_F(NewSessionTest, IsReadAsItWasWritten) {
  const std::string zip = Zip(MakeSession(session_));
  const std::string path = Write("s.zip", zip);
  const auto loaded = loaders::LoadFiles({path});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->log.damaged());
  EXPECT_THAT(Steps(*loaded), ElementsAre(1, 2));
  const profile::StepIntervals& intervals = loaded->profile.step_intervals();
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(loaded->profile.strings().Get(intervals[1].name), "run 2, trace 1");
  loaders::ImportLog log;
  const auto again = ReadSession(path, log);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Zip(*again), zip);
}

// The archive of a folder has everything except the secret and traces without
// data.
TEST_F(NewSessionTest, AFolderBecomesAnArchive) {
  const SessionParts parts = MakeSession(session_);
  for (const SessionPart& part : parts) {
    Write("s/" + part.name, part.file->bytes());
  }
  Write("s/server.json", "{\"token\": \"secret\"}");
  Write("s/traces/000003.about.json", R"({"id":"000003","file":"gone.pb"})");
  Write("s/traces/.000004.pb.tmp", "half of a trace");
  Write("outside.pb", "outside");
  Write("s/traces/000005.about.json",
        R"({"id":"000005","file":"../../outside.pb"})");
  util::StringSink sink;
  ASSERT_TRUE(WriteSessionZip(PathOf("s"), sink).ok());
  EXPECT_EQ(sink.text(), Zip(parts));
  EXPECT_THAT(sink.text(), Not(HasSubstr("server.json")));
}

TEST_F(NewSessionTest, AFolderWithoutTracesIsAnError) {
  Write("s/manifest.json", "{}");
  util::StringSink sink;
  EXPECT_THAT(std::string(WriteSessionZip(PathOf("s"), sink).message()),
              HasSubstr("no trace that can be read"));
}

}  // namespace
}  // namespace tfprof::exporters
