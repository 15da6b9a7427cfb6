#include "profiler/program/untrusted.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::program {
namespace {

using testing::IsSupersetOf;

commands::CommandLine Line(const std::vector<std::string>& words) {
  const auto line = commands::ParseCommandLine(words);
  EXPECT_TRUE(line.ok()) << line.status();
  return *line;
}

TEST(UntrustedTest, FilesThatTheLineNamesMayBeMade) {
  const auto csv = Line({"./in", "op", "-output", "csv:outfile=out.csv"});
  EXPECT_TRUE(MayMake(csv, "out.csv"));
  for (const char* path : {"", "out", "out.csv.tmp", "./in", "out.csv/x",
                           "../out.csv", "out.csv_x", "out.csv_1x"}) {
    EXPECT_FALSE(MayMake(csv, path)) << path;
  }
  EXPECT_TRUE(MayMake(Line({"./in", "save", "a.pb"}), "a.pb"));
  EXPECT_TRUE(MayMake(Line({"./in", "op", "--self_profile=s"}), "s"));
  EXPECT_TRUE(MayMake(Line({"./in", "convert", "-to", "profile:outfile=a.pb"}),
                      "a.pb"));
  const auto redact = Line({"redact", "./in", "-o", "new"});
  EXPECT_TRUE(MayMake(redact, "new"));
  EXPECT_FALSE(MayMake(redact, "./in"));
}

TEST(UntrustedTest, AFileForEachStepIsNamedByTheLine) {
  const auto steps = Line({"./in", "graph", "-output", "timeline:outfile=t"});
  EXPECT_TRUE(MayMake(steps, "t_0"));
  EXPECT_TRUE(MayMake(steps, "t_-1"));
  EXPECT_FALSE(MayMake(steps, "t_0.x"));
  EXPECT_FALSE(MayMake(steps, "t_"));
}

TEST(UntrustedTest, NamesOfNodesAreNoFiles) {
  EXPECT_FALSE(MayMake(Line({"./in", "show", "conv1"}), "conv1"));
}

TEST(UntrustedTest, WhatTheLineReads) {
  std::vector<std::string> paths;
  for (const util::UsedFile& file :
       FilesOf(Line({"./in", "--base=./old", "--join=./joined", "list", "x",
                     "-source_path", "src"}))) {
    if (file.use == util::FileUse::kRead) paths.push_back(file.path);
  }
  EXPECT_THAT(paths, IsSupersetOf({"./in", "./old", "./joined", "src"}));
}

TEST(UntrustedTest, MemoryIsAPartOfTheMachine) {
  EXPECT_GT(UntrustedMemory(), size_t{64} << 20);
}

}  // namespace
}  // namespace tfprof::program
