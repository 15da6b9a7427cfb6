// The text of a tensor's values, as `-select tensor_value` shows it below a row
// of a report.
//
//   [[1.50 -2.25 ],          a matrix of 2 x 2
//   [0.00 3.00 ],
//   ],
//   [7 ],                    a scalar, or a vector of one element
//   ['a' 'b' ],              strings
//   [],                      nothing, outermost dimension 0
//
// Each value is followed by a blank, each closing bracket by a comma and the
// end of the line. A float is first rounded to 6 significant digits, then
// printed with 2 decimals: 1234567.8 is `1234570.00`. Text is cut at 10000
// bytes, closed by one bracket, and followed by a line that says so; that line
// also comes when the brackets alone went over 10000 bytes. This is the grammar
// of tensorflow/core/profiler/internal/tfprof_tensor.h, to the byte; it never
// printed strings (it aborts), so their bytes that could harm a terminal are
// written as \xNN.
//
// Pure functions; time and memory are bounded by the 10000 bytes, not by the
// tensor. If the tensor has fewer values than its shape says, the text ends
// there.

#ifndef TFPROF_TABLES_TENSOR_TEXT_H_
#define TFPROF_TABLES_TENSOR_TEXT_H_

#include <string>

#include "profile/tensor_source.h"

namespace tfprof {

std::string TensorText(const TensorValue& tensor);

// The same with all digits of the numbers, so that they can be read back, and
// with all values.
std::string WholeTensorText(const TensorValue& tensor);

// True: there are more than 100000 values, so a person should be warned before
// they are shown.
bool IsHugeTensor(const TensorValue& tensor);

}  // namespace tfprof

#endif  // TFPROF_TABLES_TENSOR_TEXT_H_
