#include "loaders/ctf/events/counter_collector.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/events/events_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<double> Values(const Series& series) {
  std::vector<double> values;
  for (const Sample& sample : series.samples) values.push_back(sample.value);
  return values;
}

TEST(CounterCollector, AFreeReleasesWhatWasAllocatedThere) {
  AnyEvents events;
  const auto add = [&](const char* what, uint64_t time, uint64_t address,
                       uint64_t bytes) {
    events.Add(what, "string _device; uint64_t _ptr; uint64_t _bytes;", time,
               ByteWriter().PutString("gpu").Put(address).Put(bytes).bytes());
  };
  add("tensorflowTracer:memory_allocate", 1, 0x10, 64);
  add("tensorflowTracer:memory_allocate", 2, 0x20, 16);
  add("tensorflowTracer:memory_deallocate", 3, 0x10, 0);  // has no size
  add("tensorflowTracer:memory_deallocate", 4, 0x20, 16);
  add("tensorflowTracer:memory_deallocate", 5, 0x30, 0);  // never allocated
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.series, SizeIs(1));
  EXPECT_THAT(Values(facts.series[0]), ElementsAre(64, 16, -64, -16, 0));
  EXPECT_TRUE(facts.series[0].is_change);
  EXPECT_EQ(facts.series[0].releases, 3u);
  EXPECT_EQ(facts.names.Get(facts.series[0].unit), "bytes");
}

TEST(CounterCollector, AnAllocatorHasItsLastAndItsMost) {
  AnyEvents events;
  const auto add = [&](uint64_t time, uint64_t in_use) {
    events.Add("tensorflowTracer:bfc_allocator_stats",
               "string _allocator_name; uint64_t _bytes_in_use;", time,
               ByteWriter().PutString("bfc").Put(in_use).bytes());
  };
  add(1, 10);
  add(2, 70);
  add(3, 30);
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.series, SizeIs(1));
  EXPECT_THAT(Values(facts.series[0]), ElementsAre(10, 70, 30));
  EXPECT_FALSE(facts.series[0].is_change);
  ASSERT_THAT(facts.allocator_states, SizeIs(1));
  const AllocatorState& state = facts.allocator_states[0];
  EXPECT_EQ(state.samples, 3);
  ASSERT_THAT(state.fields, SizeIs(1));
  EXPECT_EQ(facts.names.Get(state.fields[0].name), "bytes_in_use");
  EXPECT_EQ(state.fields[0].last, 30);
  EXPECT_EQ(state.fields[0].most, 70);
}

// Events about the counters of kernels, from an interception library.
class Counters {
 public:
  Counters& Launch(uint64_t time, uint64_t object, const char* name) {
    events_.Add(
        "interceptionTracer:aql_kernel_dispatch_packet_submitted",
        "string _kernel_name; uint64_t _queue_id;"
        " uint64_t _kernel_object;",
        time,
        ByteWriter().PutString(name).Put(uint64_t{1}).Put(object).bytes());
    return *this;
  }
  Counters& Geometry(uint64_t time) {
    ByteWriter w;
    for (const uint32_t size : {64, 1, 2}) w.Put(size);
    events_.Add("interceptionTracer:kernel_parameters",
                "uint32_t _workgroup_size[3];"
                " uint64_t _static_group_segment_size;",
                time, w.Put(uint64_t{256}).bytes());
    return *this;
  }
  Counters& Count(uint64_t time, uint64_t object, const char* counter,
                  uint64_t value) {
    events_.Add(
        "interceptionTracer:perf_counter_uint64",
        "uint64_t _kernel_object; string _counter_name; uint64_t _value;", time,
        ByteWriter().Put(object).PutString(counter).Put(value).bytes());
    return *this;
  }
  TraceFacts Facts() const { return events_.Facts(); }

 private:
  AnyEvents events_;
};

TEST(CounterCollector, ASetHasTheGeometryBeforeItAndTheNameOfItsLaunch) {
  const TraceFacts facts = Counters()
                               .Launch(1, 7, "sgemm")
                               .Geometry(2)
                               .Count(3, 7, "Wavefronts", 5)
                               .Count(4, 7, "CacheHit", 6)
                               .Facts();
  ASSERT_THAT(facts.counter_sets, SizeIs(1));
  const CounterSet& set = facts.counter_sets[0];
  EXPECT_EQ(facts.names.Get(set.name), "sgemm");
  EXPECT_EQ(facts.names.Get(set.object), "7");
  EXPECT_THAT(set.workgroup, ElementsAre(64, 1, 2));
  EXPECT_THAT(set.grid, ElementsAre(0, 0, 0));
  EXPECT_EQ(set.group_segment, 256);
  ASSERT_THAT(set.counts, SizeIs(2));
  EXPECT_EQ(set.counts[1].value, 6);
  EXPECT_FALSE(set.counts[1].is_real);
}

TEST(CounterCollector, ACounterThatComesAgainBeginsTheNextSet) {
  const TraceFacts facts = Counters()
                               .Count(1, 7, "Wavefronts", 5)
                               .Count(2, 7, "Wavefronts", 6)
                               .Count(3, 8, "CacheHit", 7)  // another kernel
                               .Facts();
  ASSERT_THAT(facts.counter_sets, SizeIs(3));
  EXPECT_EQ(facts.counter_sets[1].counts.at(0).value, 6);
  EXPECT_EQ(facts.counter_sets[2].name, profile::kNone) << "no launch says it";
}

TEST(CounterCollector, AGeometryWithoutCountersIsNoSet) {
  EXPECT_THAT(Counters().Geometry(1).Geometry(2).Facts().counter_sets,
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::ctf
