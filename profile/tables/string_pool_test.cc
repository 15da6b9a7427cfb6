#include "profile/tables/string_pool.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(StringPoolTest, IdsCountInOrderOfFirstSight) {
  StringPool pool;
  EXPECT_EQ(pool.Find("a"), kNone);
  EXPECT_EQ(pool.Intern("a"), 0u);
  EXPECT_EQ(pool.Intern(""), 1u);
  EXPECT_EQ(pool.Intern("a"), 0u);
  EXPECT_EQ(pool.Intern("b"), 2u);
  EXPECT_EQ(pool.Find("b"), 2u);
  EXPECT_EQ(pool.Get(1), "");
  EXPECT_EQ(pool.size(), 3u);
}

TEST(StringPoolTest, BytesAreArbitrary) {
  StringPool pool;
  const std::string zero("a\0b", 3), other("a\0c", 3), raw("\xff\xfe\n", 3);
  const StringId a = pool.Intern(zero);
  const StringId b = pool.Intern(other);
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.Get(pool.Intern(raw)), raw);
  EXPECT_EQ(pool.Get(a), zero);
  EXPECT_EQ(pool.Find("a"), kNone);
}

TEST(StringPoolTest, ManyStringsStayWhereTheyAre) {
  StringPool pool;
  const std::string_view first = pool.Get(pool.Intern("first"));
  constexpr int kStrings = 200000;
  for (int i = 0; i < kStrings; ++i) {
    ASSERT_EQ(pool.Intern("while/body/layer_" + std::to_string(i)),
              static_cast<StringId>(i + 1));
  }
  for (int i = 0; i < kStrings; i += 17) {
    const std::string s = "while/body/layer_" + std::to_string(i);
    ASSERT_EQ(pool.Find(s), static_cast<StringId>(i + 1));
    ASSERT_EQ(pool.Get(i + 1), s);
  }
  EXPECT_EQ(pool.Find("while/body/layer_-1"), kNone);
  EXPECT_EQ(first.data(), pool.Get(0).data());
  EXPECT_EQ(first, "first");
}

TEST(StringPoolTest, LongStrings) {
  StringPool pool;
  const std::string a(3 << 20, 'a');
  const std::string b = a + "b";
  const StringId ia = pool.Intern(a), ib = pool.Intern(b);
  pool.Intern("short");
  EXPECT_EQ(pool.Get(ia), a);
  EXPECT_EQ(pool.Get(ib), b);
  EXPECT_GE(pool.bytes(), a.size() + b.size());
}

TEST(StringPoolTest, CopyIsIndependent) {
  auto pool = std::make_unique<StringPool>();
  for (int i = 0; i < 1000; ++i) pool->Intern(std::to_string(i));
  StringPool copy(*pool);
  EXPECT_EQ(copy.Intern("new"), 1000u);
  EXPECT_EQ(pool->Find("new"), kNone);
  EXPECT_EQ(pool->Intern("other"), 1000u);
  pool.reset();  // the copy owns its bytes
  EXPECT_EQ(copy.Get(1000), "new");
  EXPECT_EQ(copy.Find("other"), kNone);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(copy.Get(i), std::to_string(i));
    ASSERT_EQ(copy.Find(std::to_string(i)), static_cast<StringId>(i));
  }
}

TEST(StringPoolTest, TrimmingKeepsEverything) {
  StringPool pool;
  for (int i = 0; i < 5000; ++i) pool.Intern("s" + std::to_string(i));
  const size_t before = pool.bytes();
  pool.Trim();
  EXPECT_LE(pool.bytes(), before);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(pool.Find("s" + std::to_string(i)), static_cast<StringId>(i));
  }
  EXPECT_EQ(pool.Intern("more"), 5000u);
}

TEST(StringPoolTest, AnEmptyPoolFindsNothing) {
  const StringPool pool;
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(pool.bytes(), 0u);
  EXPECT_EQ(pool.Find(""), kNone);
  pool.PrefetchSlot(7);
  pool.PrefetchString(7);
}

// Probing compares strings, not only their hashes.
TEST(StringPoolTest, EqualHashesAreDistinctStrings) {
  StringPool pool;
  constexpr uint32_t kHash = 0xffffffff;  // the last slot: probing wraps around
  constexpr StringId kStrings = 200;
  for (StringId i = 0; i < kStrings; ++i) {
    ASSERT_EQ(pool.Intern(std::to_string(i), kHash), i);
  }
  for (StringId i = 0; i < kStrings; ++i) {
    ASSERT_EQ(pool.Intern(std::to_string(i), kHash), i);
    ASSERT_EQ(pool.Find(std::to_string(i), kHash), i);
  }
  EXPECT_EQ(pool.Find("x", kHash), kNone);
  EXPECT_EQ(pool.Find("0", kHash - 1), kNone);
  EXPECT_EQ(pool.size(), kStrings);
}

TEST(StringPoolTest, ACallerMayHashAhead) {
  StringPool pool;
  const uint32_t hash = StringPool::Hash("name");
  const StringId id = pool.Intern("name", hash);
  EXPECT_EQ(pool.Intern("name"), id);
  EXPECT_EQ(pool.Find("name", hash), id);
  pool.PrefetchSlot(hash);
  pool.PrefetchString(hash);
  EXPECT_EQ(pool.Get(id), "name");
}

// Short strings, strings of one block, and longer ones are read differently.
TEST(StringPoolTest, EachByteChangesTheHash) {
  for (size_t size = 1; size <= 40; ++size) {
    std::string text(size, 'a');
    std::set<uint32_t> hashes = {StringPool::Hash(text),
                                 StringPool::Hash(std::string(size + 1, 'a'))};
    for (size_t i = 0; i < size; ++i) {
      text[i] = 'b';
      hashes.insert(StringPool::Hash(text));
      text[i] = 'a';
    }
    EXPECT_EQ(hashes.size(), size + 2) << size;
    const std::string copy(text.begin(), text.end());
    EXPECT_EQ(StringPool::Hash(text), StringPool::Hash(copy));
  }
}

// A factor of 0 would hide all bytes that are multiplied with it. So no block,
// not even a constant from the code, may become 0.
TEST(StringPoolTest, NoBlockMakesOtherBytesIrrelevant) {
  for (const uint64_t block :
       {uint64_t{0}, ~uint64_t{0}, uint64_t{0x8bb84b93962eacc9},
        uint64_t{0xa0761d6478bd642f}, uint64_t{0x9e3779b97f4a7c15}}) {
    std::string front(sizeof(block), '\0');
    std::memcpy(front.data(), &block, sizeof(block));
    std::set<uint32_t> hashes;
    for (char c = 'a'; c <= 'h'; ++c) {
      hashes.insert(StringPool::Hash(front + std::string(8, c)));
      hashes.insert(StringPool::Hash(std::string(8, c) + front));
      hashes.insert(StringPool::Hash(front + std::string(8, c) + "name"));
      hashes.insert(StringPool::Hash(std::string(8, c) + front + "name"));
    }
    EXPECT_EQ(hashes.size(), 4u * 8) << block;
  }
}

TEST(StringPoolTest, ReservedMemoryIsNotAllocatedAgain) {
  StringPool pool;
  pool.Intern("before");
  pool.Reserve(10001);
  pool.Reserve(5);  // never shrinks the pool
  const size_t chunk = 4096;
  const size_t reserved = pool.bytes() - chunk;
  for (int i = 0; i < 10000; ++i) pool.Intern(std::to_string(i));
  EXPECT_EQ(pool.Find("before"), 0u);
  EXPECT_EQ(pool.Find("9999"), 10000u);
  size_t text = 0;
  for (StringId i = 0; i < pool.size(); ++i) text += pool.Get(i).size();
  EXPECT_GE(pool.bytes(), reserved + text);
  EXPECT_LE(pool.bytes(), reserved + 3 * text);
}

// A string that does not fit into the rest of a chunk goes to a new one.
TEST(StringPoolTest, StringsAtTheEndOfAChunk) {
  StringPool pool;
  const std::string most(4095, 'm');
  pool.Intern(most);
  const std::string_view last = pool.Get(pool.Intern("l"));
  EXPECT_EQ(last.data(), pool.Get(0).data() + most.size());
  pool.Intern("next");
  pool.Intern("");  // uses no byte
  EXPECT_EQ(pool.Get(0), most);
  EXPECT_EQ(pool.Get(1), "l");
  EXPECT_EQ(pool.Get(2), "next");
  EXPECT_EQ(pool.Get(3), "");
}

TEST(StringPoolTest, ACopyOfAnEmptyPool) {
  const StringPool empty;
  StringPool copy(empty);
  EXPECT_EQ(copy.Find("a"), kNone);
  EXPECT_EQ(copy.Intern("a"), 0u);
}

TEST(StringPoolTest, MovingKeepsTheBytesInPlace) {
  StringPool pool;
  const std::string_view name = pool.Get(pool.Intern("name"));
  StringPool moved(std::move(pool));
  EXPECT_EQ(moved.Get(0).data(), name.data());
  EXPECT_EQ(moved.Intern("more"), 1u);
  EXPECT_EQ(moved.Find("name"), 0u);
}

}  // namespace
}  // namespace tfprof::profile
