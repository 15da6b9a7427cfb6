#include "loaders/chrome_json/kineto/replays/replay_pairs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Calls and kernels are letters. A '?' is a call that names no kernel, a '*' a
// copy or its call.
profile::StringId NameOf(char c) { return static_cast<unsigned char>(c); }

std::vector<CapturedWork> Calls(std::string_view letters) {
  std::vector<CapturedWork> calls;
  for (const char c : letters) {
    const profile::StringId name = NameOf(c);
    const bool named = c != '?' && c != '*';
    calls.push_back(
        {named ? name : profile::kNone, c == '?' ? profile::kNone : name});
  }
  return calls;
}

// `streams` has a digit for each kernel.
std::vector<ReplayedKernel> Kernels(std::string_view letters,
                                    std::string_view streams = "") {
  std::vector<ReplayedKernel> kernels;
  for (size_t i = 0; i < letters.size(); ++i) {
    const profile::StringId name = NameOf(letters[i]);
    kernels.push_back(
        {name, name,
         streams.empty() ? 0 : static_cast<uint32_t>(streams[i] - '0')});
  }
  return kernels;
}

std::vector<uint32_t> Pair(std::string_view calls, std::string_view kernels,
                           std::string_view streams = "") {
  return PairReplay(Calls(calls), Kernels(kernels, streams));
}

TEST(PairReplay, AsManyAreInOrder) {
  EXPECT_THAT(Pair("aba", "aba"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Pair("???", "aba"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Pair("a?*", "ab*"), ElementsAre(0, 1, 2));
}

TEST(PairReplay, AnotherOrderIsPairedByName) {
  EXPECT_THAT(Pair("abab", "baab"), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(Pair("abb", "aab"), IsEmpty());
  EXPECT_THAT(Pair("abc", "abd"), IsEmpty());
  // Only names would tell what the call without one is.
  EXPECT_THAT(Pair("ab?", "bac"), IsEmpty());
}

TEST(PairReplay, CallsThatAreNotInTheGraphAreLeftOut) {
  EXPECT_THAT(Pair("axb*a", "ab*a"), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(Pair("axb", "ba"), IsEmpty());
  EXPECT_THAT(Pair("???", "ab"), IsEmpty());
}

TEST(PairReplay, MoreKernelsThanCallsAreNotSure) {
  EXPECT_THAT(Pair("ab", "abb"), IsEmpty());
  EXPECT_THAT(Pair("", "a"), IsEmpty());
  EXPECT_THAT(Pair("a", ""), IsEmpty());
}

TEST(PairReplay, EachStreamKeepsItsOrder) {
  // Stream 1 runs "ac", stream 2 "bd".
  EXPECT_THAT(Pair("abcd", "bdac", "2211"), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(Pair("axbcd", "bdac", "2211"), ElementsAre(2, 4, 0, 3));
  EXPECT_THAT(Pair("abc", "bdac", "2211"), IsEmpty());
  EXPECT_THAT(Pair("abc?", "bdac", "2211"), IsEmpty());
  EXPECT_THAT(Pair("a*cd", "*dac", "2211"), ElementsAre(1, 3, 0, 2));
}

TEST(PairReplay, OfTwoStreamsTheOneThatMatchesForLonger) {
  // Both streams begin with "a"; only the second one goes on with "b".
  EXPECT_THAT(Pair("abac", "acab", "1122"), ElementsAre(2, 3, 0, 1));
  // Both match equally: the first one.
  EXPECT_THAT(Pair("abab", "abab", "1122"), ElementsAre(0, 1, 2, 3));
}

TEST(PairReplay, ManyEqualNamesEndSoon) {
  const std::string calls(20'000, 'a');
  std::string streams(20'000, '1');
  std::fill(streams.begin() + 10'000, streams.end(), '2');
  EXPECT_THAT(Pair(calls, calls, streams), IsEmpty());
}

}  // namespace
}  // namespace tfprof::kineto
