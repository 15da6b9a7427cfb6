#include "loaders/tensorflow/followers.h"

#include <cstdint>
#include <initializer_list>

#include "gtest/gtest.h"

namespace tfprof::tensorflow {
namespace {

int CountGuessed(std::initializer_list<uint32_t> numbers) {
  Followers followers;
  int guessed = 0;
  for (const uint32_t number : numbers) {
    guessed += followers.Guess() == number;
    followers.Add(number);
  }
  return guessed;
}

TEST(FollowersTest, NoGuessWithoutNumbers) {
  Followers followers;
  EXPECT_EQ(followers.Guess(), profile::kNone);
  followers.Add(7);
  EXPECT_EQ(followers.Guess(), profile::kNone);
}

TEST(FollowersTest, ARepeatedSequenceIsGuessed) {
  EXPECT_EQ(CountGuessed({1, 2, 3, 4}), 0);
  EXPECT_EQ(CountGuessed({1, 2, 3, 4, 1, 2, 3, 4}), 3);
  EXPECT_EQ(CountGuessed({5, 5, 5, 5}), 2);
}

TEST(FollowersTest, TheLastFollowerIsTheGuess) {
  Followers followers;
  for (const uint32_t number : {1, 2, 1, 100, 1}) followers.Add(number);
  EXPECT_EQ(followers.Guess(), 100u);
}

TEST(FollowersTest, NumbersInAnyOrder) {
  Followers followers;
  for (const uint32_t number : {1000, 0, 1000}) followers.Add(number);
  EXPECT_EQ(followers.Guess(), 0u);
}

}  // namespace
}  // namespace tfprof::tensorflow
