#include "flops/einsum.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace einsum_test {

using Outcome = Flops::Outcome;
using Shape = std::vector<int64_t>;

int64_t Einsum(std::string_view equation, std::vector<Shape> operands) {
  const std::vector<Dims> dims(operands.begin(), operands.end());
  const Flops flops = EinsumFlops(equation, dims);
  return flops.outcome == Outcome::kKnown ? flops.value : -1;
}

TEST(EinsumTest, Equations) {
  EXPECT_EQ(Einsum("ij,jk->ik", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(Einsum(" ij , jk -> ik ", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(Einsum("...ij,...jk->...ik", {{2, 1, 4, 5}, {3, 5, 6}}),
            2 * 2 * 3 * 4 * 5 * 6);
  EXPECT_EQ(Einsum("ij,ij->ij", {{4, 5}, {4, 5}}), 20);
  EXPECT_EQ(Einsum("ijk,jl->il", {{4, 5, 6}, {5, 7}}),
            4 * 5 * 6 - 4 * 5 + 2 * 4 * 5 * 7);
  EXPECT_EQ(Einsum("ij->j", {{4, 5}}), 15);
  EXPECT_EQ(Einsum("ij->ji", {{4, 5}}), 0);
  EXPECT_EQ(Einsum("ii->", {{4, 4}}), 3);
  EXPECT_EQ(Einsum(",->", {{1}, {1}}), 1);  // scalars
}

TEST(EinsumTest, WhatDoesNotFit) {
  EXPECT_EQ(Einsum("", {{4}}), -1);
  EXPECT_EQ(Einsum("ij,jk", {{4, 5}, {5, 6}}), -1);
  EXPECT_EQ(Einsum("ij->i", {{4, 5}, {5}}), -1);
  EXPECT_EQ(Einsum("ij,j->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ij->i", {{4}}), -1);
  EXPECT_EQ(Einsum("i->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ii->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ij,jk->ik", {{4, 5}, {7, 6}}), -1);
  EXPECT_EQ(Einsum("i,i,i->i", {{4}, {4}, {4}}), -1);
  EXPECT_EQ(Einsum("i1->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("......->...", {{4}}), -1);
}

TEST(EinsumTest, AnUnknownShapeHasNoFigure) {
  const Shape known = {4, 5}, unknown = {-1, 5}, no_rank = {};
  for (const Shape& shape : {unknown, no_rank}) {
    for (const bool first : {false, true}) {
      const Dims operands[] = {first ? shape : known, first ? known : shape};
      EXPECT_EQ(EinsumFlops("ij,ij->ij", operands).outcome, Outcome::kNoShapes);
    }
  }
}

TEST(EinsumTest, ALabelOfOneOperandIsSummedFirst) {
  // k of the first operand is summed first: 4 x 5 x 6 becomes 4 x 5.
  EXPECT_EQ(Einsum("ijk,ij->ij", {{4, 5, 6}, {4, 5}}), 4 * 5 * 5 + 4 * 5);
  // The same for k of the second operand.
  EXPECT_EQ(Einsum("ij,ijk->ij", {{4, 5}, {4, 5, 6}}), 4 * 5 * 5 + 4 * 5);
}

TEST(EinsumTest, ADiagonalIsSmallerThanItsOperand) {
  // Only the diagonal takes part.
  EXPECT_EQ(Einsum("ii,i->i", {{4, 4}, {4}}), 4);
  EXPECT_EQ(Einsum("iij->ij", {{4, 4, 5}}), 0);
}

TEST(EinsumTest, LettersOfBothCasesAreLabels) {
  EXPECT_EQ(Einsum("Ab,bC->AC", {{2, 3}, {3, 4}}), 2 * 2 * 3 * 4);
  EXPECT_EQ(Einsum("aA->a", {{2, 3}}), 4);
}

TEST(EinsumTest, AnEllipsisThatIsNotInTheOutputIsSummed) {
  EXPECT_EQ(Einsum("...i->i", {{2, 3, 4}}), 2 * 3 * 4 - 4);
  EXPECT_EQ(Einsum("...i,i->", {{2, 3, 4}, {4}}), 2 * 3 * 4 - 4 + 2 * 4);
}

TEST(EinsumTest, AnEllipsisMayHaveNoDimension) {
  EXPECT_EQ(Einsum("...ij,...jk->...ik", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(Einsum("i...->i...", {{4}}), 0);
}

TEST(EinsumTest, EllipsesAreAlignedAtTheirEnds) {
  EXPECT_EQ(Einsum("a...,a...->a...", {{2, 7, 3}, {2, 3}}), 2 * 7 * 3);
  EXPECT_EQ(Einsum("a...,a...->a...", {{2, 7, 3}, {2, 7}}), -1);
}

TEST(EinsumTest, EmptyTensorsNeedNoOperation) {
  EXPECT_EQ(Einsum("ij,jk->ik", {{0, 5}, {5, 6}}), 0);
  EXPECT_EQ(Einsum("ij->i", {{4, 0}}), 0);
}

TEST(EinsumTest, LargeFiguresSaturate) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(Einsum("ij,jk->ik", {{huge, huge}, {huge, huge}}), kMaxFlops);
}

TEST(EinsumTest, RanksBeyondThoseOfTensorsAreNotSupported) {
  EXPECT_EQ(Einsum("...->...", {Shape(kMaxRank, 1)}), 0);
  EXPECT_EQ(Einsum("...->...", {Shape(kMaxRank + 1, 1)}), -1);
}

TEST(EinsumTest, OnlyOneArrowAndNoOtherSigns) {
  EXPECT_EQ(Einsum("i->i->i", {{4}}), -1);
  EXPECT_EQ(Einsum("i.->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("i,->i", {{4}}), -1);
  EXPECT_EQ(Einsum("->", {}), -1);
}

}  // namespace einsum_test
}  // namespace
}  // namespace tfprof::flops
