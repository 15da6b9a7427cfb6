// Shared helpers for tests of pprof files: their integers by field, and a
// profile with a forward node and its gradient.

#ifndef TFPROF_EXPORTERS_PPROF_TESTING_H_
#define TFPROF_EXPORTERS_PPROF_TESTING_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "exporters/exporters_testing.h"
#include "gtest/gtest.h"
#include "util/files/wire.h"

namespace tfprof::exporters {

inline std::vector<int64_t> Ints(const util::WireReader& r) {
  std::vector<int64_t> values;
  EXPECT_TRUE(util::AppendInts(r, values));
  return values;
}

// Integer fields and packed fields by number, for a message with no other
// fields.
inline std::map<uint32_t, std::vector<int64_t>> IntFields(
    std::string_view bytes) {
  std::map<uint32_t, std::vector<int64_t>> fields;
  util::WireReader r(bytes);
  while (r.Next()) fields[r.number()] = Ints(r);
  EXPECT_FALSE(r.damaged());
  return fields;
}

inline profile::Profile CodeProfile() {
  Maker maker;
  const profile::NodeId conv = maker.Node("conv");
  const profile::NodeId gradient = maker.Node("gradients/conv_grad/Bprop");
  maker.Stack(conv,
              {{"/a/main.py", 10, "main", 1}, {"/a/model.py", 20, "build", 5}});
  maker.Stack(gradient, {{"/a/main.py", 11, "main", -1}});
  maker.Run(conv, kCpu0, 1000, 100);
  maker.Run(gradient, kCpu0, 2000, 40);
  return maker.Build();
}

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PPROF_TESTING_H_
