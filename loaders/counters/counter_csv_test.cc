#include "loaders/counters/counter_csv.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::counters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kRcp[] =
    "# ProfileFileVersion=3.0\n# ProfilerVersion=5.1\n"
    "Method , ExecutionOrder , ThreadID , GlobalWorkSize , VGPRs , Wavefronts "
    ", CacheHit\n"
    "sgemm_gfx803 , 1 , 101 , {64 2 1} , 24 , 17.00 , 97.5\n"
    "relu_gfx900 , 2 , 101 , {64 1 1} , 16 , 4 , \n";

loaders::CounterFile Parse(std::string_view text, loaders::ImportLog& log) {
  auto file = ParseCounterCsv("c.csv", text, log);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : loaders::CounterFile();
}

TEST(CounterCsv, RowsOfRcp) {
  EXPECT_TRUE(LooksLikeCounterCsv(kRcp));
  loaders::ImportLog log;
  const loaders::CounterFile file = Parse(kRcp, log);
  EXPECT_THAT(file.counters, ElementsAre("Wavefronts", "CacheHit"));
  ASSERT_EQ(file.kernels.size(), 2u);
  EXPECT_EQ(file.kernels[0].name, "sgemm");
  EXPECT_THAT(file.kernels[0].values, ElementsAre(17, 97.5));
  EXPECT_THAT(
      file.kernels[0].cells,
      ElementsAre("sgemm", "1", "101", "{64 2 1}", "24", "17.00", "97.5"));
  EXPECT_EQ(file.kernels[1].name, "relu");
  EXPECT_TRUE(std::isnan(file.kernels[1].values[1])) << "an empty cell";
  EXPECT_TRUE(log.entries().empty());
}

TEST(CounterCsv, RowsOfRocprof) {
  loaders::ImportLog log;
  const loaders::CounterFile file = Parse(
      "Index,KernelName,gpu-id,grd,wgr,SQ_WAVES\n"
      "0,\"void f(int, \"\"x\"\")\",1,64,64,128\n"
      "1,g.kd,1,64,64,7\n",
      log);
  EXPECT_THAT(file.counters, ElementsAre("SQ_WAVES"));
  ASSERT_EQ(file.kernels.size(), 2u);
  EXPECT_EQ(file.kernels[0].name, "void f(int, \"x\")");
  EXPECT_THAT(file.kernels[0].values, ElementsAre(128));
  EXPECT_EQ(file.kernels[1].name, "g");
}

TEST(CounterCsv, CountersOfRocprofv3AreRows) {
  loaders::ImportLog log;
  const loaders::CounterFile file = Parse(
      "\"Correlation_Id\",\"Dispatch_Id\",\"Kernel_Name\",\"Counter_Name\","
      "\"Counter_Value\"\n"
      "1,1,\"f\",\"SQ_WAVES\",10\n1,1,\"f\",\"L2Hit\",0.5\n"
      "2,2,\"g\",\"SQ_WAVES\",30\n2,2,\"g\",\"SQ_WAVES\",2\n",
      log);
  EXPECT_THAT(file.counters, ElementsAre("SQ_WAVES", "L2Hit"));
  ASSERT_EQ(file.kernels.size(), 2u);
  EXPECT_THAT(file.kernels[0].values, ElementsAre(10, 0.5));
  EXPECT_EQ(file.kernels[1].values[0], 32) << "two instances of the counter";
  EXPECT_TRUE(std::isnan(file.kernels[1].values[1]));
}

TEST(CounterCsv, DamageIsSaid) {
  loaders::ImportLog log;
  const loaders::CounterFile file =
      Parse(std::string(kRcp) + "cut_gfx803 , 3\n", log);
  EXPECT_EQ(file.kernels.size(), 2u);
  ASSERT_EQ(log.entries().size(), 1u);
  EXPECT_THAT(log.entries()[0].texts[0], HasSubstr("c.csv: line 6: fewer"));
  EXPECT_FALSE(LooksLikeCounterCsv("a,b,c\n1,2,3\n"));
  const auto other = ParseCounterCsv("c.csv", "a,b,c\n", log);
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr("c.csv: expected the names of the columns"));
  const auto no_value = ParseCounterCsv(
      "c.csv", "Dispatch_Id,Kernel_Name,Counter_Name\n1,f,x\n", log);
  EXPECT_THAT(std::string(no_value.status().message()),
              HasSubstr("line 1: expected the columns Counter_Value"));
}

TEST(CounterCsv, NotesTellWhatIsNotRead) {
  const auto account = [](const std::string& text) {
    loaders::ImportLog log;
    loaders::ByteNotes notes;
    EXPECT_TRUE(ParseCounterCsv("c.csv", text, log, &notes).ok());
    return notes.Account(text);
  };
  const std::string names =
      "Dispatch_Id,Kernel_Name,X,Counter_Name,"
      "Counter_Value\n";
  const auto size = static_cast<int64_t>(names.size());
  EXPECT_EQ(account("a\nb\n" + names + " \n1,f,ab,c,2\n#\n1,f\n"),
            (loaders::ByteAccount{.read = size + 9,
                                  .unused = 4 + 2 + 2,
                                  .white_space = 2,
                                  .damaged = 4}));
  EXPECT_EQ(account("Method,ExecutionOrder,A\nf,1,2\n").unused, 0);
}

}  // namespace
}  // namespace tfprof::counters
