// Formulas: the float operations of one operation, from the shapes of its
// tensors and its attributes.
//
// These are the formulas that TensorFlow registers in Python and whose results
// it writes to op logs (reference spec 2.8 and A.9), so numbers computed here
// equal the numbers in op logs. g3doc/flops.md lists the additional operations
// and the few differences. Unit: float operations of one run of the operation;
// a multiplication and an addition are two.
//
// Results are never negative and saturate at the largest int64_t. A formula
// cannot fail: its outcome names the missing data. Attributes may be any bytes,
// and dimensions any numbers.

#ifndef TFPROF_FLOPS_FORMULAS_H_
#define TFPROF_FLOPS_FORMULAS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "profile/details.h"

namespace tfprof::flops {

inline constexpr int64_t kMaxFlops = std::numeric_limits<int64_t>::max();

// Dimensions in the convention of ShapeTable: an empty list is an unknown rank,
// a negative dimension is unknown.
using Dims = std::span<const int64_t>;

bool IsKnown(Dims dims);

// The largest rank of TensorFlow's tensors. Formulas whose run time grows
// faster than the rank reject larger ranks.
inline constexpr size_t kMaxRank = 254;

// The input of a formula.
struct Operation {
  static constexpr size_t kMaxInputs = 3;
  std::array<Dims, kMaxInputs> inputs;  // only the first ones
  size_t num_inputs = 0;                // including control inputs
  Dims output;                          // only the first one
  profile::AttributeList attributes;
};

struct Flops {
  enum class Outcome {
    kKnown,
    kNoShapes,      // a required shape is not (fully) known
    kNotSupported,  // the formula does not cover such shapes or attributes
  };
  Outcome outcome = Outcome::kKnown;
  int64_t value = 0;  // 0 unless known
};

struct Formula {
  std::string_view ops;   // separated by spaces
  std::string_view text;  // "2 x k x out"
  Flops (*compute)(const Operation& operation);
  bool needs_attributes = false;
};

// Returns all formulas in the order of `help flops`.
std::span<const Formula> Formulas();
// Returns nullptr if nothing is counted for the op.
const Formula* FindFormula(std::string_view op);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_FORMULAS_H_
