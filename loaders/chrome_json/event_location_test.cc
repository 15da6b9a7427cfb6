#include "loaders/chrome_json/event_location.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

// Formats the location as "function|file|line".
std::string Location(std::string_view name) {
  const EventLocation location = LocationOfName(name);
  if (!location.known()) return "unknown";
  return std::string(location.function) + "|" + std::string(location.file) +
         "|" + std::to_string(location.line);
}

TEST(EventLocationTest, VizTracer) {
  EXPECT_EQ(Location("fib (/src/work.py:8)"), "fib|/src/work.py|8");
  EXPECT_EQ(Location("M.f (<frozen importlib._bootstrap>:412)"),
            "M.f|<frozen importlib._bootstrap>|412");
  EXPECT_EQ(Location("main.<locals>.<genexpr> (C:\\a b\\w.py:13)"),
            "main.<locals>.<genexpr>|C:\\a b\\w.py|13");
}

TEST(EventLocationTest, PythonTracers) {
  EXPECT_EQ(Location("$train.py:98 next_batch"), "next_batch|train.py|98");
  EXPECT_EQ(Location("$<frozen abc>:117 f"), "f|<frozen abc>|117");
  EXPECT_EQ(Location("$builtins isinstance"), "isinstance|builtins|-1");
  EXPECT_EQ(Location("$<unknown> __exit__"), "__exit__|<unknown>|-1");
  EXPECT_EQ(Location("torch/optim/sgd.py(12): step"),
            "step|torch/optim/sgd.py|12");
}

TEST(EventLocationTest, NamesWithoutAPlace) {
  for (const char* name :
       {"", "dict.get", "f (x)", "f (a:b)", " (a:1)", "f (:1)", "$", "$x",
        "$ x", "$a.py:1 ", "void f(int): g", "(1): f", "f (a:-1)",
        "f (a:99999999999)", "f()"}) {
    EXPECT_EQ(Location(name), "unknown") << name;
  }
}

}  // namespace
}  // namespace tfprof::chrome_json
