// Formats a tensor's values for `-select tensor_value`, which shows them below
// a row of a report.
//
//   [[1.50 -2.25 ],          a matrix of 2 x 2
//   [0.00 3.00 ],
//   ],
//   [7 ],                    a scalar, or a vector of one element
//   ['a' 'b' ],              strings
//   [],                      no value: the outermost dimension is 0
//
// Each value is followed by a space, each closing bracket by a comma and a
// newline. A float is first rounded to 6 significant digits, then printed with
// 2 decimals: 1234567.8 is `1234570.00`. Text is cut at 10000 bytes, closed by
// one bracket, and followed by a line that says so; this line also appears if
// only the brackets exceed 10000 bytes. This is exactly the format of
// tensorflow/core/profiler/internal/tfprof_tensor.h. The reference cannot print
// strings (it aborts); here, their bytes that could harm a terminal are written
// as \xNN.
//
// Time and memory are bounded by the 10000 bytes, not by the tensor. If the
// tensor has fewer values than its shape requires, the text ends there.

#ifndef TFPROF_TABLES_TENSOR_TEXT_H_
#define TFPROF_TABLES_TENSOR_TEXT_H_

#include <string>

#include "profile/tensor_source.h"

namespace tfprof::tables {

std::string TensorText(const profile::TensorValue& tensor);

// The same with all values, and with all digits, so that programs can read the
// numbers back.
std::string WholeTensorText(const profile::TensorValue& tensor);

// Returns true if there are more than 100000 values, so a person should be
// warned before they are shown.
bool IsHugeTensor(const profile::TensorValue& tensor);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_TENSOR_TEXT_H_
