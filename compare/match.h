// Matches the rows of one profile with the rows of another.
//
// Rows are matched by name, and the rest by normalized name: the numbers that
// frameworks assign (dense_1, MatMul_12, /device:GPU:1) differ between two runs
// of one program. If several rows share a normalized name, the first is matched
// with the first, in natural order (x_2 before x_10), so that the result
// depends only on the names.
//
// Lines of code ("train.py:12:step:y = f(x)") move when the file is edited:
// they are matched by file and function, then within a function by the text of
// the line, and the rest by distance, nearest first.
//
// Pure functions of names. Any bytes are a valid name.

#ifndef TFPROF_COMPARE_MATCH_H_
#define TFPROF_COMPARE_MATCH_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::compare {

// `name` without the numbers in which two runs of a program differ: "_N" at the
// end of a part of a path, and ":N" of a device. A part that consists only of
// such numbers keeps them.
//
//   "tower_1/dense_12/MatMul_1"          "tower/dense/MatMul"
//   "/job:worker/task:3/device:GPU:1"    "/job:worker/task/device:GPU"
std::string NormalizedName(std::string_view name);

// The pairs: for each row of `after` its row of `before`, kNone if it is new,
// and the reverse.
struct Matching {
  std::vector<uint32_t> before_of;  // by row of `after`
  std::vector<uint32_t> after_of;   // by row of `before`
};

Matching MatchNames(std::span<const std::string_view> before,
                    std::span<const std::string_view> after);

// A row of the code view. Rows of different files or functions never match.
struct CodeLine {
  std::string_view name;  // the row's
  std::string_view file;  // without folders
  std::string_view function;
  std::string_view text;  // source text; empty: unknown
  int32_t line = 0;
  bool gradient = false;
};

Matching MatchCode(std::span<const CodeLine> before,
                   std::span<const CodeLine> after);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_MATCH_H_
