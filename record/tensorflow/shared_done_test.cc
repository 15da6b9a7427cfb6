#include "record/tensorflow/shared_done.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tfprof::record {
namespace {

// Views a std::function as the recorder does, by its layout.
template <typename F>
StdFunction& Layout(std::function<F>& function) {
  static_assert(sizeof(function) == sizeof(StdFunction));
  return reinterpret_cast<StdFunction&>(function);
}

std::vector<Word> before_calls;
void Before(const DoneArguments& arguments) {
  before_calls.push_back(arguments.first);
}

TEST(StdStringTest, HasTheLayoutOfTheLibrary) {
  const std::string small = "short", large(100, 'x');
  for (const std::string* text : {&small, &large}) {
    const auto& seen = reinterpret_cast<const StdString&>(*text);
    EXPECT_EQ(seen.text(), *text);
    EXPECT_EQ(seen.IsAllocated(), text == &large);
  }
}

TEST(SharedDoneTest, RunsBeforeTheCallbackOnce) {
  before_calls.clear();
  std::string seen;
  std::function<void(const std::string&)> done = [&](const std::string& text) {
    seen += text + std::to_string(before_calls.size());
  };
  ASSERT_TRUE(CallBefore(Layout(done), Before, {.first = 42}));
  const std::function<void(const std::string&)> copy = done;
  copy("a");
  done("b");
  EXPECT_EQ(seen, "a1b1");
  EXPECT_EQ(before_calls, std::vector<Word>{42});
}

TEST(SharedDoneTest, DestroysTheCallbackWithTheLastCopy) {
  const auto owned = std::make_shared<int>(7);
  {
    // The callback is too large to be stored in the std::function itself.
    std::function<void()> done = [owned, padding = std::string(50, 'x')] {};
    ASSERT_TRUE(CallBefore(Layout(done), Before, {}));
    std::function<void()> copy = done;
    done = nullptr;
    EXPECT_EQ(owned.use_count(), 2);
    std::thread([moved = std::move(copy)] { moved(); }).join();
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(SharedDoneTest, ACallbackMayDestroyItself) {
  auto done = std::make_unique<std::function<void()>>();
  const auto owned = std::make_shared<int>(7);
  *done = [&done, owned] { done.reset(); };
  ASSERT_TRUE(CallBefore(Layout(*done), Before, {}));
  (*done)();
  EXPECT_EQ(done, nullptr);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(SharedDoneTest, AnEmptyCallbackStaysEmpty) {
  std::function<void()> done;
  EXPECT_FALSE(CallBefore(Layout(done), Before, {}));
  EXPECT_FALSE(done);
}

TEST(SharedDoneTest, TooManyOpenOnesAreLeftAsTheyAre) {
  std::vector<std::function<void()>> open;
  int calls = 0;
  for (int i = 0; i < 10'000; ++i) {
    open.emplace_back([&calls] { ++calls; });
    CallBefore(Layout(open.back()), Before, {});
  }
  for (const auto& done : open) done();
  EXPECT_EQ(calls, 10'000);
  open.clear();
  std::function<void()> next = [&calls] { ++calls; };
  EXPECT_TRUE(CallBefore(Layout(next), Before, {}));
}

}  // namespace
}  // namespace tfprof::record
