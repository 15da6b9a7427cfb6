#include "loaders/perfetto/gpu_events.h"

#include <gtest/gtest.h>

#include <string>

#include "loaders/perfetto/perfetto_testing.h"
#include "loaders/perfetto/track_events.h"

namespace tfprof::perfetto {
namespace {

void AddExtra(util::WireWriter& w, std::string_view key,
              std::string_view value) {
  const util::WireMessage extra(w, 6);
  w.Bytes(1, key);
  w.Bytes(2, value);
}

TEST(GpuEventsTest, QueueStageAndNameAreTextsOfTheSequence) {
  Texts texts;
  texts.Set(TextTable::kSpecifications, 1, "Stream 7");
  texts.Set(TextTable::kSpecifications, 2, "Memcpy");
  texts.Set(TextTable::kNames, 3, "Memcpy HtoD");
  texts.Set(TextTable::kKernels, 4, "kernel name");
  const std::string bytes = Message([](auto& w) {
    w.Int64(1, 55);
    w.Int64(2, 900);
    w.Int64(13, 1);
    w.Int64(14, 2);
    w.Int64(11, 3);
    w.Int64(20, 3);
    w.Int64(19, 4);
    AddExtra(w, "correlation", "12");
    AddExtra(w, "device id", "3");
    AddExtra(w, "bytes", "64");
    AddExtra(w, "kind", "a\"b");
  });
  std::vector<uint64_t> flows;
  const GpuWork work = ReadGpuWork(bytes, {.texts = texts}, flows);
  EXPECT_FALSE(work.damaged);
  EXPECT_EQ(work.slice.name, "Memcpy HtoD");
  EXPECT_EQ(work.slice.duration, 900);
  EXPECT_EQ(work.slice.device, 3);
  EXPECT_EQ(work.slice.correlation, 12);
  EXPECT_EQ(work.stage, "Memcpy");
  EXPECT_EQ(flows, std::vector<uint64_t>{FlowOfWork(55)});
  std::string json = "{";
  AppendWorkArguments(bytes, {.texts = texts}, json);
  EXPECT_EQ(json, R"({"correlation":12,"bytes":64,"kind":"a\"b",)"
                  R"("stream":7,"device":3)");
}

TEST(GpuEventsTest, TheDeprecatedFormNamesQueuesAndStagesByPosition) {
  Texts texts;
  const std::string specifications = Message([](auto& w) {
    for (const std::string_view name : {"queue", "Stream 9"}) {
      const util::WireMessage queue(w, 2);
      w.Bytes(1, name);
    }
    for (const std::string_view name : {"Kernel", "Memset"}) {
      const util::WireMessage stage(w, 3);
      w.Bytes(1, name);
    }
  });
  ASSERT_TRUE(ReadSpecifications(specifications, texts));
  std::vector<uint64_t> flows;
  const std::string bytes = Message([](auto& w) {
    w.Int64(3, 1);
    w.Int64(4, 1);
    w.Bytes(17, "set");
  });
  const GpuWork work = ReadGpuWork(bytes, {.texts = texts}, flows);
  EXPECT_EQ(work.queue_name, "Stream 9");
  EXPECT_EQ(work.stage, "Memset");
  EXPECT_EQ(work.slice.name, "set");
  const GpuWork unknown = ReadGpuWork("", {.texts = texts}, flows);
  EXPECT_EQ(unknown.queue_name, "queue");
  EXPECT_EQ(unknown.stage, "Kernel");
  EXPECT_EQ(unknown.slice.name, "Kernel");
  EXPECT_FALSE(ReadSpecifications("\x12\x05", texts));
}

TEST(GpuEventsTest, CountersHaveTheNamesThatWereSent) {
  GpuCounters counters;
  std::vector<GpuCounters::Value> values;
  ASSERT_TRUE(counters.Read(Message([](auto& w) {
                              const util::WireMessage names(w, 1);
                              const util::WireMessage spec(w, 1);
                              w.Int64(1, 5);
                              w.Bytes(2, "clock");
                              w.Int64(7, 7);  // bytes
                            }),
                            values));
  EXPECT_TRUE(values.empty());
  ASSERT_TRUE(counters.Read(Message([](auto& w) {
                              for (int id = 5; id <= 6; ++id) {
                                const util::WireMessage value(w, 2);
                                w.Int64(1, id);
                                w.Double(3, id / 2.0);
                              }
                              w.Int64(3, 1);
                            }),
                            values));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].name, "clock");
  EXPECT_EQ(values[0].value, 2.5);
  EXPECT_TRUE(values[0].in_bytes);
  EXPECT_FALSE(values[1].in_bytes);
  EXPECT_EQ(values[1].name, "counter");
  EXPECT_EQ(values[0].track, GpuTrack(1, UINT32_MAX));
  EXPECT_FALSE(counters.Read("\x12\x05", values));
}

}  // namespace
}  // namespace tfprof::perfetto
