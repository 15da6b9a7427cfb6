// Tests of the hooks in memory_hooks.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "record/sink.h"
#include "record/tensorflow/hook_testing.h"

extern "C" {
void* AlignedMalloc(size_t bytes, size_t alignment) __asm__(
    "_ZN3tsl4port13AlignedMallocEmSt11align_val_t");
void* AlignedMallocInt(size_t bytes, size_t alignment) __asm__(
    "_ZN3tsl4port13AlignedMallocEmi");
void AlignedFree(void* memory) __asm__("_ZN3tsl4port11AlignedFreeEPv");
void* BfcAllocate(void* allocator, size_t alignment, size_t bytes, void* attributes) __asm__(
    "_ZN3tsl12BFCAllocator11AllocateRawEmm"
    "RKNS_20AllocationAttributesE");
void BfcDeallocate(void* allocator, void* memory) __asm__(
    "_ZN3tsl12BFCAllocator13DeallocateRawEPv");
}

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemoryHooksTest, MemoryOfTheHostIsThatOfTheCpu) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.result = 4096;
                EXPECT_EQ(AlignedMalloc(100, 64), At(4096));
                EXPECT_EQ(library.words[0], 100u);
                EXPECT_EQ(library.words[1], 64u);
                AlignedFree(At(4096));
                EXPECT_EQ(library.words[0], 4096u);
              }),
              ElementsAre("allocate address=4096 bytes=100 allocator=cpu",
                          "release address=4096 bytes=0 allocator=cpu"));
}

// In versions that have both functions, the one with an int calls the other
// one.
TEST(MemoryHooksTest, AnAllocationIsRecordedOnce) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.result = 4096;
                EXPECT_EQ(AlignedMallocInt(100, 64), At(4096));
                EXPECT_EQ(library.num_calls, 1);
              }),
              IsEmpty());
}

TEST(MemoryHooksTest, AnAllocatorIsAskedForItsNameOnce) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.allocator = "GPU_0_bfc";
                library.result = 4096;
                EXPECT_EQ(BfcAllocate(At(0x10), 64, 100, At(3)), At(4096));
                EXPECT_EQ(library.words[0], 0x10u);
                EXPECT_EQ(library.words[1], 64u);
                EXPECT_EQ(library.words[2], 100u);
                EXPECT_EQ(library.words[3], 3u);
                BfcDeallocate(At(0x10), At(4096));
                EXPECT_EQ(library.num_asked, 1);
                library.allocator = "another/allocator/with/a/long/name";
                BfcAllocate(At(0x20), 64, 1, At(3));
                EXPECT_EQ(library.num_asked, 2);
                EXPECT_EQ(library.num_freed, 1);
              }),
              ElementsAre("allocate address=4096 bytes=100 allocator=GPU_0_bfc",
                          "release address=4096 bytes=0 allocator=GPU_0_bfc",
                          "allocate address=4096 bytes=1 "
                          "allocator=another/allocator/with/a/long/name"));
}

TEST(MemoryHooksTest, NoMemoryIsNoEvent) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.allocator = "bfc";
                library.result = 0;
                EXPECT_EQ(AlignedMalloc(100, 64), nullptr);
                EXPECT_EQ(BfcAllocate(At(0x10), 64, 100, At(3)), nullptr);
                AlignedFree(nullptr);
                BfcDeallocate(At(0x10), nullptr);
                EXPECT_EQ(library.num_calls, 4);
              }),
              IsEmpty());
}

// After a release, another thread may get the same address at once.
TEST(MemoryHooksTest, AReleaseIsRecordedBeforeItHappens) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.during = [] { RangeBegin("free"); };
                AlignedFree(At(4096));
              }),
              ElementsAre("release address=4096 bytes=0 allocator=cpu",
                          "range_begin depth=0 name=free"));
}

TEST(MemoryHooksTest, TheEnvironmentLeavesMemoryOut) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                setenv("TFPROF_RECORD_MEMORY", "off", 1);
                library.result = 4096;
                EXPECT_EQ(AlignedMalloc(100, 64), At(4096));
                BfcAllocate(At(0x10), 64, 100, At(3));
                AlignedFree(At(4096));
                RangeBegin("other events");
                EXPECT_EQ(library.num_calls, 3);
                EXPECT_EQ(library.num_asked, 0);
              }),
              ElementsAre("range_begin depth=0 name=other events"));
}

}  // namespace
}  // namespace tfprof::record
