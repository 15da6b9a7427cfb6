#include "loaders/perfetto/trace_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "loaders/perfetto/perfetto_testing.h"
#include "loaders/perfetto/slice_pairs.h"

namespace tfprof::perfetto {
namespace {

constexpr uint32_t kNames = 2, kCategories = 1, kKeys = 3;

class TraceReaderTest : public ::testing::Test {
 protected:
  TraceTables Read(std::string bytes) {
    auto tables = ReadTrace(
        loaders::InputFile::FromBytes("t.pftrace", std::move(bytes)), context_);
    EXPECT_TRUE(tables.ok()) << tables.status();
    PacketLog log(*tables->state, context_.log);
    PairSlices(*tables, log);
    return *std::move(tables);
  }
  TraceTables Read(const TraceMaker& trace) { return Read(trace.bytes()); }

  // The names of the slices, in the order of the file.
  static std::vector<std::string> Names(const TraceTables& tables) {
    std::vector<std::string> names;
    for (const Slice& slice : tables.slices) names.emplace_back(slice.name);
    return names;
  }
  int64_t Count(std::string_view kind) const {
    for (const auto& entry : context_.log.entries()) {
      if (entry.kind == kind) return entry.count;
    }
    return 0;
  }
  std::string Text(std::string_view kind) const {
    for (const auto& entry : context_.log.entries()) {
      if (entry.kind == kind && !entry.texts.empty()) return entry.texts[0];
    }
    return "";
  }

  loaders::LoadContext context_;
};

// A begin of the name `id`, on the default track.
void AddNumbered(TraceMaker& trace, int64_t time, int64_t id) {
  trace.Event(time, [&](auto& w) {
    w.Int64(9, 1);
    w.Int64(10, id);
  });
}

TEST_F(TraceReaderTest, NamesCategoriesAndKeysMayBeSentByNumber) {
  TraceMaker trace;
  trace.Texts({{kNames, 1, "mm"},
               {kCategories, 1, "kernel"},
               {kKeys, 1, "correlation"},
               {kKeys, 2, "stream"}},
              /*cleared=*/true);
  trace.Event(5, [](auto& w) {
    w.Int64(9, 1);
    w.Int64(10, 1);
    w.Int64(3, 1);
    for (int64_t key = 1; key <= 2; ++key) {
      const util::WireMessage annotation(w, 4);
      w.Int64(1, key);
      w.Int64(4, 40 + key);
    }
  });
  const TraceTables tables = Read(trace);
  ASSERT_EQ(Names(tables), std::vector<std::string>{"mm"});
  EXPECT_EQ(tables.categories[tables.slices[0].category], "kernel");
  EXPECT_EQ(tables.slices[0].correlation, 41);
  EXPECT_TRUE(tables.slices[0].has_stream);
  EXPECT_EQ(tables.slices[0].device, -1);
  EXPECT_FALSE(context_.log.damaged());
}

TEST_F(TraceReaderTest, ASequenceBeginsAgainWhenItSaysSo) {
  TraceMaker trace;
  trace.Texts({{kNames, 1, "first"}, {kNames, 2, "gone"}}, true);
  AddNumbered(trace, 1, 1);
  trace.Texts({{kNames, 1, "second"}}, true);
  AddNumbered(trace, 2, 1);
  AddNumbered(trace, 3, 2);
  EXPECT_EQ(Names(Read(trace)),
            (std::vector<std::string>{"first", "second", "(name lost)"}));
  EXPECT_EQ(Count("text that was never sent"), 1);
  EXPECT_NE(Text("text that was never sent").find("t.pftrace: byte "),
            std::string::npos);
}

TEST_F(TraceReaderTest, DefaultsGiveTheTrackAndTheClock) {
  TraceMaker trace;
  trace.Packet([](auto& w) {
    w.Int64(13, 1);
    {
      const util::WireMessage clocks(w, 6);
      for (const auto& [clock, time] : {std::pair(6, 1000), {64, 0}}) {
        const util::WireMessage reading(w, 1);
        w.Int64(1, clock);
        w.Int64(2, time);
        if (clock == 64) w.Int64(3, 1);
      }
    }
    const util::WireMessage defaults(w, 59);
    w.Int64(58, 64);
    const util::WireMessage event(w, 11);
    w.Int64(11, 77);
  });
  AddNumbered(trace, 5, 1);
  AddNumbered(trace, 5, 1);
  const TraceTables tables = Read(trace);
  ASSERT_EQ(tables.slices.size(), 2u);
  EXPECT_EQ(tables.slices[0].time, 1005);
  EXPECT_EQ(tables.slices[1].time, 1010);
  EXPECT_EQ(tables.tracks[tables.slices[0].track].uuid, 77u);
}

TEST_F(TraceReaderTest, BeginsAndEndsPairAsAStackInTheOrderOfTime) {
  TraceMaker trace;
  trace.Begin(0, 1, "outer");
  trace.End(100, 1);
  trace.End(30, 1);
  trace.Begin(10, 1, "inner");
  trace.Slice(0, 5, 2, "other");
  const TraceTables tables = Read(trace);
  ASSERT_EQ(Names(tables),
            (std::vector<std::string>{"outer", "inner", "other"}));
  EXPECT_EQ(tables.slices[0].duration, 100);
  EXPECT_EQ(tables.slices[1].duration, 20);
  EXPECT_EQ(tables.slices[2].duration, 5);
  EXPECT_TRUE(context_.log.entries().empty());
}

// As a stack, the end at 50 would be that of "second".
TEST_F(TraceReaderTest, BeginsAndThenEndsAreInOneOrder) {
  TraceMaker trace;
  trace.Begin(0, 1, "step");
  trace.Begin(10, 1, "first");
  trace.Begin(50, 1, "second");
  for (const int64_t end : {100, 50, 80}) trace.End(end, 1);
  const TraceTables tables = Read(trace);
  ASSERT_EQ(Names(tables),
            (std::vector<std::string>{"step", "first", "second"}));
  EXPECT_EQ(tables.slices[0].duration, 100);
  EXPECT_EQ(tables.slices[1].duration, 40);
  EXPECT_EQ(tables.slices[2].duration, 30);
}

TEST_F(TraceReaderTest, LoneBeginsLastToTheEndAndLoneEndsAreCounted) {
  TraceMaker trace;
  trace.End(3, 1);
  trace.Begin(5, 1, "open");
  trace.Slice(10, 90, 2, "last");
  const TraceTables tables = Read(trace);
  ASSERT_EQ(tables.slices.size(), 2u);
  EXPECT_EQ(tables.slices[0].duration, 95);
  EXPECT_EQ(Count("end without a begin"), 1);
  EXPECT_EQ(Count("begin without an end"), 1);
  EXPECT_NE(Text("end without a begin").find("byte "), std::string::npos);
  EXPECT_TRUE(context_.log.damaged());
}

TEST_F(TraceReaderTest, WorkWithoutAnEndLastsToTheNextWork) {
  TraceMaker trace;
  const auto of_stream = [](auto& w) {
    Annotate(w, "device", 0);
    Annotate(w, "stream", 7);
  };
  trace.Begin(5, 1, "lost", "kernel", of_stream);
  trace.Slice(20, 10, 1, "whole", "kernel", of_stream);
  trace.Begin(40, 1, "last", "kernel", of_stream);
  trace.Slice(10, 90, 2, "other");
  const TraceTables tables = Read(trace);
  ASSERT_EQ(Names(tables),
            (std::vector<std::string>{"lost", "whole", "last", "other"}));
  EXPECT_EQ(tables.slices[0].duration, 15);
  EXPECT_EQ(tables.slices[1].duration, 10);
  EXPECT_EQ(tables.slices[2].duration, 60);
  EXPECT_EQ(Count("begin without an end"), 2);
}

TEST_F(TraceReaderTest, PacketsMayBePackedOnce) {
  TraceMaker inside;
  inside.Slice(0, 5, 1, "packed");
  uLongf size = compressBound(inside.bytes().size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(inside.bytes().data()),
           inside.bytes().size());
  packed.resize(size);
  TraceMaker trace;
  trace.Packet([&](auto& w) { w.Bytes(50, packed); });
  EXPECT_EQ(Names(Read(trace)), std::vector<std::string>{"packed"});
  EXPECT_FALSE(context_.log.damaged());

  size = compressBound(trace.bytes().size());
  std::string twice(size, '\0');
  compress(reinterpret_cast<Bytef*>(twice.data()), &size,
           reinterpret_cast<const Bytef*>(trace.bytes().data()),
           trace.bytes().size());
  twice.resize(size);
  TraceMaker outer;
  outer.Packet([&](auto& w) { w.Bytes(50, twice); });
  EXPECT_TRUE(Read(outer).slices.empty());
  EXPECT_EQ(Count("packets packed twice"), 1);
  EXPECT_NE(Text("packets packed twice").find("unpacked from byte "),
            std::string::npos);
}

TEST_F(TraceReaderTest, PacketsThatUnpackHugelyAreSkipped) {
  const std::string zeros(kMinUnpacked + 1, '\0');
  uLongf size = compressBound(zeros.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(zeros.data()), zeros.size(), 1);
  packed.resize(size);
  TraceMaker trace;
  trace.Packet([&](auto& w) { w.Bytes(50, packed); });
  trace.Slice(0, 5, 1, "behind");
  EXPECT_EQ(Names(Read(trace)), std::vector<std::string>{"behind"});
  EXPECT_EQ(Count("packed packets too large"), 1);
}

TEST_F(TraceReaderTest, EachKindOfDamageIsCountedWithItsByte) {
  TraceMaker trace;
  trace.Raw(std::string("\x0a\x02\x40\x80", 4));  // the time is cut
  trace.Slice(0, 5, 1, "whole");
  trace.Packet([](auto& w) {  // no time
    const util::WireMessage event(w, 11);
    w.Int64(9, 1);
  });
  trace.Event(5, [](auto& w) { w.Int64(9, 9); });
  trace.Event(5, [](auto& w) { w.Int64(10, 1); });
  trace.Event(5, [](auto& w) { w.Bytes(6, ""); });
  trace.Packet([](auto& w) {
    w.Int64(8, 5);
    w.Bytes(11, "\x48\x01\x22\x7f");
  });
  trace.Packet([](auto& w) { w.Bytes(60, "\x08\x05\x22\x02\x08\x80"); });
  trace.Packet([](auto& w) { w.Bytes(12, "\x12\x02\x08\x80"); });
  trace.Packet([](auto& w) { w.Bytes(6, "\x0a\x02\x08\x80"); });
  trace.Packet([](auto& w) { w.Bytes(2, "\x0a\x02\x08\x80"); });
  trace.Packet([](auto& w) { w.Bytes(50, "no zlib"); });
  trace.Packet([](auto& w) {
    w.Int64(8, 5);
    w.Bytes(53, "\x08\x80");
  });
  trace.Packet([](auto& w) {
    w.Int64(8, 5);
    w.Int64(58, 3);
    const util::WireMessage event(w, 11);
    w.Int64(9, 3);
  });
  trace.Packet([](auto& w) {
    w.Int64(8, 5);
    w.Int64(58, 64);
    const util::WireMessage event(w, 11);
    w.Int64(9, 3);
  });
  trace.Raw("\x12\x01x");
  trace.Raw("\x0a\x7f");
  Read(trace);
  for (const std::string_view kind :
       {"damaged packet", "event of an unknown type", "event without a type",
        "event of the old form", "damaged event", "damaged track",
        "damaged text", "damaged clocks", "damaged process",
        "damaged packed packets", "damaged GPU work", "unknown clock",
        "clock of a sequence without a snapshot", "field that is no packet",
        "trace without its end"}) {
    EXPECT_EQ(Count(kind), 1) << kind;
    EXPECT_TRUE(Text(kind).starts_with("t.pftrace: byte ")) << Text(kind);
  }
  EXPECT_EQ(Count("event without a time"), 2);
  EXPECT_TRUE(Text("damaged packet").starts_with("t.pftrace: byte 2: "));
}

TEST_F(TraceReaderTest, LossesThatTheTraceReportsAreCounted) {
  TraceMaker trace;
  const auto dropped = [&] { trace.Packet([](auto& w) { w.Int64(42, 1); }); };
  dropped();  // the first packet always says so
  EXPECT_TRUE(Read(trace).slices.empty());
  EXPECT_EQ(Count("lost packets"), 0);
  dropped();
  for (int i = 1; i <= 2; ++i) {
    trace.Packet([&](auto& w) {
      const util::WireMessage stats(w, 35);
      const util::WireMessage buffer(w, 1);
      w.Int64(3, i);
    });
  }
  Read(trace);
  EXPECT_EQ(Count("lost packets"), 1);
  EXPECT_EQ(Count("lost chunks"), 1);
  EXPECT_TRUE(Text("lost chunks").ends_with("(use a larger one): 2"));
}

TEST_F(TraceReaderTest, CountersHaveUnitsAndMayAddUp) {
  TraceMaker trace;
  trace.Packet([](auto& w) {
    const util::WireMessage descriptor(w, 60);
    w.Int64(1, 9);
    w.Bytes(2, "memory");
    const util::WireMessage counter(w, 8);
    w.Int64(4, 1024);
    w.Int64(5, 1);
  });
  for (const int64_t value : {2, 3}) {
    trace.Event(value, [&](auto& w) {
      w.Int64(9, 4);
      w.Int64(11, 9);
      w.Int64(30, value);
    });
  }
  const TraceTables tables = Read(trace);
  ASSERT_EQ(tables.counters.size(), 2u);
  EXPECT_EQ(tables.counters[0].value, 2048);
  EXPECT_EQ(tables.counters[1].value, 5120);
}

// Events have values of counters beside their content.
TEST_F(TraceReaderTest, ExtraCountersOfEvents) {
  TraceMaker trace;
  for (const int64_t track : {9, 10, 11}) {
    trace.Packet([&](auto& w) {
      const util::WireMessage descriptor(w, 60);
      w.Int64(1, track);
      const util::WireMessage counter(w, 8);
      if (track == 9) w.Int64(4, 1000);
      if (track == 9) w.Int64(5, 1);
      if (track == 10) w.Int64(3, 3);
    });
  }
  trace.Packet([&](auto& w) {
    w.Int64(41, 1);
    const util::WireMessage defaults(w, 59);
    const util::WireMessage event(w, 11);
    w.Int64(31, 9);
  });
  trace.Event(1, [&](auto& w) {
    w.Int64(9, 1);
    w.Bytes(23, "a");
    w.Int64(12, 2);
    w.Int64(45, 11);
    w.Double(46, 0.5);
  });
  trace.Event(2, [&](auto& w) {
    w.Int64(9, 2);
    w.Int64(31, 9);
    w.Int64(31, 10);
    w.Int64(12, 3);
    w.Int64(12, 7);
    w.Int64(12, 8);
  });
  const TraceTables tables = Read(trace);
  ASSERT_EQ(tables.counters.size(), 4u);
  const auto& counters = tables.counters;
  EXPECT_EQ(counters[0].value, 2000);
  EXPECT_EQ(counters[1].value, 0.5);
  EXPECT_EQ(tables.tracks[counters[1].track].uuid, 11u);
  EXPECT_EQ(counters[2].value, 5000);
  EXPECT_FALSE(counters[2].in_bytes);
  EXPECT_EQ(counters[3].value, 7);
  EXPECT_EQ(counters[3].time, 2);
  EXPECT_TRUE(counters[3].in_bytes);
  EXPECT_EQ(Count("counter without a track"), 1);
}

TEST_F(TraceReaderTest, LongNamesAreCut) {
  TraceMaker trace;
  trace.Slice(0, 1, 1, std::string(kMaxName + 1, 'a'));
  EXPECT_EQ(Read(trace).slices[0].name.size(), kMaxName);
  EXPECT_EQ(Count("name too long"), 1);
}

TEST_F(TraceReaderTest, FlowsHaveAllFormsOfTheField) {
  TraceMaker trace;
  trace.Slice(0, 1, 1, "a", "", [](auto& w) {
    w.Fixed64(47, 11);
    w.Bytes(48, std::string("\x0c\0\0\0\0\0\0\0\x0d\0\0\0\0\0\0\0", 16));
    w.Int64(36, 14);
    const util::WireMessage gpu(w, 3000);
    w.Int64(1, 15);
  });
  const TraceTables tables = Read(trace);
  ASSERT_EQ(tables.slices[0].num_flows, 5u);
  EXPECT_EQ(tables.flows[0], 11u);
  EXPECT_EQ(tables.flows[2], 13u);
  EXPECT_EQ(tables.flows[3], 14u);
}

}  // namespace
}  // namespace tfprof::perfetto
