#include "profiler/record/record_environment.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::recording {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::map<std::string, std::string> EnvironmentOf(
    const RecordSetup& setup,
    const std::map<std::string, std::string>& before) {
  std::map<std::string, std::string> made;
  for (auto& [name, value] :
       RecordEnvironment(setup, [&](const char* name) -> const char* {
         const auto at = before.find(name);
         return at == before.end() ? nullptr : at->second.c_str();
       })) {
    EXPECT_TRUE(made.emplace(name, value).second) << name << " is there twice";
  }
  return made;
}

RecordSetup NewSetup() {
  return {.library = "/t/rec.so",
          .folder = "/trace",
          .clock_offset = 18446744073709551615u,
          .options = {.max_mib = 7}};
}

TEST(RecordEnvironmentTest, AnEmptyOneGetsTheLibraryEverywhere) {
  EXPECT_THAT(
      EnvironmentOf(NewSetup(), {}),
      UnorderedElementsAre(Pair("TFPROF_RECORD", "/trace"),
                           Pair("TFPROF_RECORD_CLOCK", "18446744073709551615"),
                           Pair("TFPROF_RECORD_MAX_MIB", "7"),
                           Pair("LD_PRELOAD", "/t/rec.so"),
                           Pair("OPENCL_LAYERS", "/t/rec.so"),
                           Pair("HSA_TOOLS_LIB", "/t/rec.so"),
                           Pair("CUDA_INJECTION64_PATH", "/t/rec.so")));
}

TEST(RecordEnvironmentTest, WhatIsInAListStaysBehindTheLibrary) {
  const auto made = EnvironmentOf(NewSetup(), {{"LD_PRELOAD", "/a.so:/b.so"},
                                               {"OPENCL_LAYERS", "/layer.so"},
                                               {"HSA_TOOLS_LIB", "/tool.so"}});
  EXPECT_THAT(made,
              IsSupersetOf({Pair("LD_PRELOAD", "/t/rec.so:/a.so:/b.so"),
                            Pair("OPENCL_LAYERS", "/t/rec.so:/layer.so"),
                            Pair("HSA_TOOLS_LIB", "/t/rec.so /tool.so")}));
}

TEST(RecordEnvironmentTest, AnotherToolOfCudaIsKept) {
  EXPECT_THAT(
      EnvironmentOf(NewSetup(), {{"CUDA_INJECTION64_PATH", "/nsys.so"}}),
      Not(Contains(Key("CUDA_INJECTION64_PATH"))));
}

TEST(RecordEnvironmentTest, EmptyVariablesAreAsIfTheyWereNotSet) {
  EXPECT_EQ(EnvironmentOf(NewSetup(), {{"LD_PRELOAD", ""},
                                       {"HSA_TOOLS_LIB", ""},
                                       {"CUDA_INJECTION64_PATH", ""}}),
            EnvironmentOf(NewSetup(), {}));
}

TEST(RecordEnvironmentTest, OnlyPreloadedProgramsGetTheLibraryForForks) {
  RecordSetup setup = NewSetup();
  setup.lttng_provider = "/t/provider.so";
  setup.lttng_fork = "/lib/fork.so";
  EXPECT_THAT(EnvironmentOf(setup, {{"LD_PRELOAD", "/a.so"}}),
              IsSupersetOf({Pair("TFPROF_RECORD_LTTNG", "/t/provider.so"),
                            Pair("LD_PRELOAD", "/t/rec.so:/lib/fork.so:/a.so"),
                            Pair("OPENCL_LAYERS", "/t/rec.so")}));
}

}  // namespace
}  // namespace tfprof::recording
