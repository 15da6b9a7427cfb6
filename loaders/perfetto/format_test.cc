#include "loaders/perfetto/format.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "loaders/perfetto/perfetto_testing.h"

namespace tfprof::perfetto {
namespace {

// A trace that uses every kind of packet.
std::string TraceOfAll() {
  TraceMaker trace;
  trace.Texts({{1, 1, "cpu_op"},
               {2, 1, "aten::mm"},
               {3, 1, "Input Dims"},
               {24, 1, "Stream 7"},
               {24, 2, "Kernel"},
               {29, 1, "[[2, 3]]"},
               {1000, 1, "gemm"}},
              /*cleared=*/true);
  trace.Raw(SmallTrace().bytes());
  trace.Event(2000, [](auto& w) {
    w.Int64(9, 1);
    w.Int64(10, 1);
    w.Int64(3, 1);
    w.Int64(11, 2);
    const util::WireMessage annotation(w, 4);
    w.Int64(1, 1);
    w.Int64(17, 1);
  });
  trace.End(2100, 2);
  trace.Packet([](auto& w) {
    w.Int64(8, 2050);
    const util::WireMessage work(w, 53);
    w.Int64(2, 40);
    w.Int64(13, 1);
    w.Int64(14, 2);
    w.Int64(19, 1);
  });
  trace.Packet([](auto& w) {
    w.Int64(8, 2050);
    const util::WireMessage counters(w, 52);
    const util::WireMessage value(w, 2);
    w.Int64(1, 1);
    w.Int64(2, 5);
  });
  trace.Packet([](auto& w) {
    const util::WireMessage clocks(w, 6);
    const util::WireMessage reading(w, 1);
    w.Int64(1, 6);
    w.Int64(2, 5);
  });
  return trace.bytes();
}

// Reads all that a profile can be asked for.
void ReadAll(const LoadedPerfetto& loaded) {
  for (const auto& step : loaded.profile.steps()) {
    for (size_t e = 0; e < step->num_records(); ++e) {
      const auto record = LoadedPerfetto::RecordOf(*step, e);
      loaded.profile.Text(record);
      loaded.profile.Arguments(record);
    }
  }
}

TEST(FormatTest, RecognisesTraces) {
  const auto score = [](std::string_view bytes) {
    return kPerfettoFormat.sniff(bytes).score;
  };
  EXPECT_EQ(score(TraceOfAll()), loaders::Fit::kWord);
  EXPECT_EQ(score(""), 0);
  EXPECT_EQ(score("{\"traceEvents\": []}"), 0);
  // A graph: field 1 is a node, which has its name in field 1.
  EXPECT_EQ(score(Message([](auto& w) {
              const util::WireMessage node(w, 1);
              w.Bytes(1, "w");
              w.Bytes(2, "Const");
            })),
            0);
  // One packed packet without its end.
  EXPECT_EQ(score(std::string("\x0a\x20\x92\x03\x10\x78\x9c", 7)), 0);
  EXPECT_EQ(score(std::string("\x0a\x20\x50\x01\x92\x03\x10\x78\x9c", 9)),
            loaders::Fit::kWord);
}

TEST(FormatTest, AFileWithoutEventsIsRefusedWithWhatToDo) {
  TraceMaker trace;
  trace.Process(1, 100, "python");
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_FALSE(loaded.status.ok());
  EXPECT_NE(loaded.status.message().find("t.pftrace: no event with a time"),
            std::string::npos);
  EXPECT_NE(loaded.status.message().find("record a trace"), std::string::npos);
}

TEST(FormatTest, EveryPrefixIsReadOrRefused) {
  const std::string whole = TraceOfAll();
  ASSERT_TRUE(LoadPerfetto(whole).status.ok());
  size_t before = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const LoadedPerfetto loaded = LoadPerfetto(whole.substr(0, size));
    ReadAll(loaded);
    if (!loaded.status.ok()) {
      EXPECT_FALSE(loaded.status.message().empty());
      continue;
    }
    // What was read of a shorter file is read of a longer one, too.
    EXPECT_GE(loaded.Durations().size(), before) << size;
    before = loaded.Durations().size();
  }
  EXPECT_GT(before, 3u);
}

TEST(FormatTest, AnyChangeIsReadOrRefused) {
  const std::string whole = TraceOfAll();
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change <= round % 4; ++change) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
          break;
        case 2:
          bytes.erase(at, random() % 8);
          break;
        default:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 16));
          break;
      }
    }
    const LoadedPerfetto loaded = LoadPerfetto(bytes);
    ReadAll(loaded);
    EXPECT_TRUE(loaded.status.ok() || !loaded.status.message().empty());
  }
}

TEST(FormatTest, HostileStructuresAreRead) {
  TraceMaker trace = SmallTrace();
  // Tracks above each other in a circle.
  trace.Track(50, 51, "a");
  trace.Track(51, 50, "b");
  trace.Slice(1500, 5, 50, "circle");
  // A begin at each nanosecond, without an end.
  for (int i = 0; i < 5000; ++i) trace.Begin(3000 + i, 2, "deep", "cpu_op");
  // Times at both ends.
  trace.Slice(INT64_MIN, 5, 2, "early", "cpu_op");
  trace.Begin(INT64_MAX, 2, "late", "cpu_op");
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  ReadAll(loaded);
  EXPECT_EQ(loaded.CountOf("begin without an end"), 5001);
}

}  // namespace
}  // namespace tfprof::perfetto
