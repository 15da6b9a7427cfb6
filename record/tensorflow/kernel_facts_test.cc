#include "record/tensorflow/kernel_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "record/tensorflow/hook_testing.h"

namespace tfprof::record {
namespace {

KernelFacts FactsOf(void* kernel, PackedFacts& place) {
  const char* const packed =
      FindKernelFacts(At(0x1000), kernel, At(0x2000), place);
  EXPECT_NE(packed, nullptr);
  return Unpack(packed);
}

TEST(KernelFactsTest, AKernelIsAskedOnceUntilItIsForgotten) {
  EventsOfProcess([](FakeLibrary& library) {
    library.kernel = "dense/MatMul:MatMul";
    library.device = "/device:CPU:0";
    PackedFacts place;
    for (int i = 0; i < 3; ++i) {
      const KernelFacts facts = FactsOf(At(0x10), place);
      EXPECT_EQ(facts.name, "dense/MatMul");
      EXPECT_EQ(facts.type, "MatMul");
      EXPECT_EQ(facts.device, "/device:CPU:0");
      EXPECT_EQ(library.num_asked, 2);
    }
    // Another kernel gets the same address.
    library.kernel = "other:Add";
    ForgetKernel(At(0x10));
    EXPECT_EQ(FactsOf(At(0x10), place).name, "other");
    EXPECT_EQ(library.num_asked, 4);
  });
}

TEST(KernelFactsTest, TheTypeComesAfterTheLastColon) {
  EventsOfProcess([](FakeLibrary& library) {
    PackedFacts place;
    library.kernel = "a:b:C";
    EXPECT_EQ(FactsOf(At(0x10), place).name, "a:b");
    EXPECT_EQ(FactsOf(At(0x10), place).type, "C");
    library.kernel = "no type";
    EXPECT_EQ(FactsOf(At(0x20), place).name, "no type");
    EXPECT_EQ(FactsOf(At(0x20), place).type, "");
    library.kernel = "";
    EXPECT_EQ(FactsOf(At(0x30), place).name, "");
    library.kernel = ":";
    EXPECT_EQ(FactsOf(At(0x40), place).type, "");
  });
}

TEST(KernelFactsTest, TextsAreCut) {
  EventsOfProcess([](FakeLibrary& library) {
    const std::string kernel =
        std::string(2 * kMaxText, 'n') + ":" + std::string(3 * kMaxText, 't');
    const std::string device(kMaxText + 1, 'd');
    library.kernel = kernel;
    library.device = device;
    PackedFacts place;
    const KernelFacts facts = FactsOf(At(0x10), place);
    EXPECT_EQ(facts.name, std::string(kMaxText, 'n'));
    EXPECT_EQ(facts.type, std::string(kMaxText, 't'));
    EXPECT_EQ(facts.device, std::string(kMaxText, 'd'));
  });
}

// Memory must be freed by the library that allocated it, because that library
// may have its own heap.
TEST(KernelFactsTest, WhatTheLibraryAllocatedIsFreedByIt) {
  EventsOfProcess([](FakeLibrary& library) {
    PackedFacts place;
    library.kernel = "short:Op";
    FactsOf(At(0x10), place);
    EXPECT_EQ(library.num_freed, 0);
    library.kernel = "a/name/that/has/no/room/in/a/string:Op";
    FactsOf(At(0x20), place);
    EXPECT_EQ(library.num_freed, 1);
  });
}

}  // namespace
}  // namespace tfprof::record
