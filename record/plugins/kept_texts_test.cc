#include "record/plugins/kept_texts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tfprof::record {
namespace {

const void* Key(size_t i) {
  return reinterpret_cast<const void*>(0x7f0000001000 + 16 * i);
}

TEST(KeptTextsTest, EqualTextsAreOneWithAZeroBehind) {
  const std::string text = "dense/MatMul";
  const std::string_view kept = KeepText(text);
  EXPECT_EQ(kept, text);
  EXPECT_NE(kept.data(), text.data());
  EXPECT_EQ(kept.data()[kept.size()], 0);
  EXPECT_EQ(KeepText("dense/MatMul").data(), kept.data());
  EXPECT_NE(KeepText("dense/MatMu").data(), kept.data());
}

TEST(KeptTextsTest, ThreadsThatKeepTheSameTextsGetTheSame) {
  constexpr size_t kTexts = 500;
  std::vector<std::vector<const char*>> found(4);
  std::vector<std::thread> threads;
  for (auto& own : found) {
    threads.emplace_back([&own] {
      for (size_t i = 0; i < kTexts; ++i) {
        own.push_back(KeepText("shared/" + std::to_string(i)).data());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, found[0]);
  EXPECT_EQ(std::set(found[0].begin(), found[0].end()).size(), kTexts);
}

TEST(AddressMapTest, FindsWhatWasInsertedUntilItIsErased) {
  AddressMap map;
  int values[3] = {};
  EXPECT_EQ(map.Find(Key(0)), nullptr);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(map.Insert(Key(i), &values[i]));
  map.Erase(Key(1));
  EXPECT_EQ(map.Find(Key(0)), &values[0]);
  EXPECT_EQ(map.Find(Key(1)), nullptr);
  EXPECT_EQ(map.Find(Key(2)), &values[2]);
  // A new object has got the address.
  EXPECT_TRUE(map.Insert(Key(1), &values[2]));
  EXPECT_EQ(map.Find(Key(1)), &values[2]);
}

TEST(AddressMapTest, AFullMapKeepsWhatItHas) {
  AddressMap map;
  int value = 0;
  std::vector<size_t> inserted;
  size_t refused = 0;
  for (size_t i = 0; i < 100'000; ++i) {
    if (map.Insert(Key(i), &value)) {
      inserted.push_back(i);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(inserted.size(), 30'000u);
  for (const size_t i : inserted) ASSERT_EQ(map.Find(Key(i)), &value) << i;
}

}  // namespace
}  // namespace tfprof::record
