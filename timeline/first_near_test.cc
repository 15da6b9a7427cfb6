#include "timeline/first_near.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

TEST(FirstNearTest, FindsTheFirstFromEveryPlace) {
  for (size_t size = 0; size < 40; ++size) {
    std::vector<size_t> rows;
    for (size_t i = 0; i < size; ++i) rows.push_back(2 * i);
    for (size_t near = 0; near <= size; ++near) {
      for (size_t value = 0; value < 2 * size + 2; ++value) {
        EXPECT_EQ(
            FirstNear(rows, near, [&](size_t row) { return row < value; }),
            std::min((value + 1) / 2, size));
      }
    }
  }
}

TEST(FirstNearTest, TakesFewQuestionsNearTheResult) {
  const std::vector<int> rows(1 << 20);
  for (const size_t near : {size_t{0}, size_t{1000}, size_t{500'000}}) {
    int questions = 0;
    size_t asked = near + 3;  // the result
    EXPECT_EQ(FirstNear(rows, near,
                        [&](const int& row) {
                          ++questions;
                          return static_cast<size_t>(&row - rows.data()) <
                                 asked;
                        }),
              asked);
    EXPECT_LE(questions, 8);
  }
}

}  // namespace
}  // namespace tfprof::timeline
