#include "loaders/chrome_json/kineto/replays/captures.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CapturesTest : public ::testing::Test {
 protected:
  void Host(KinetoCategory category, std::string_view name, int64_t start,
            int64_t end, uint32_t thread = 0) {
    events_.host.push_back({.start = start,
                            .duration = end - start,
                            .name = strings_.Intern(name),
                            .thread = thread,
                            .category = category,
                            .is_range = category == KinetoCategory::kRange});
  }
  void Op(std::string_view name, int64_t start, int64_t end) {
    Host(KinetoCategory::kOp, name, start, end);
  }
  void Call(std::string_view name, int64_t start, std::string_view kernel = "",
            uint32_t thread = 0) {
    if (!kernel.empty()) {
      events_.launched_kernels.emplace_back(events_.host.size(),
                                            strings_.Intern(kernel));
    }
    Host(KinetoCategory::kLaunch, name, start, start + 10, thread);
  }
  void Python(int64_t start, int64_t end) {
    events_.python.push_back({.start = start, .end = end});
  }
  // The work of each capture as "OWNER:KERNEL".
  std::vector<std::vector<std::string>> Find() {
    const WorkKinds kinds(strings_);
    std::vector<std::vector<std::string>> found;
    for (const GraphCapture& capture : FindCaptures(events_, strings_, kinds)) {
      std::vector<std::string>& work = found.emplace_back();
      for (size_t i = 0; i < capture.work.size(); ++i) {
        std::string& text = work.emplace_back(
            strings_.Get(events_.host[capture.owner[i]].name));
        text += ':';
        if (capture.work[i].kernel != profile::kNone) {
          text += strings_.Get(capture.work[i].kernel);
        }
      }
    }
    return found;
  }

  profile::StringPool strings_;
  KinetoEvents events_;
};

TEST_F(CapturesTest, WorkHasTheOperatorAroundIt) {
  Python(0, 100'000);
  Call("hipLaunchKernel", 500, "before");
  Call("hipStreamBeginCapture", 1000);
  Op("aten::linear", 2000, 4000);
  Op("aten::mm", 2100, 3900);
  Op("execute", 2200, 3800);
  Python(2300, 3700);
  Call("hipLaunchKernel", 2400, "gemm");
  Call("hipMemcpyAsync", 2500);
  Call("hipPointerGetAttribute", 2600);
  Python(5000, 6000);
  Call("hipLaunchKernel", 5500, "lone");
  Call("hipStreamEndCapture", 9000);
  Call("hipLaunchKernel", 9500, "after");
  EXPECT_THAT(Find(), ElementsAre(ElementsAre("aten::mm:gemm", "aten::mm:",
                                              "hipLaunchKernel:lone")));
}

// Only the work of functions that something outside of the capture called is
// the program's.
TEST_F(CapturesTest, WorkWithoutACallerIsLeftOut) {
  Call("cudaStreamBeginCapture", 1000);
  Op("aten::mm", 2000, 3000);
  Call("cudaLaunchKernel", 2100);
  Call("cudaLaunchKernel", 4000);
  Call("cudaStreamEndCapture", 9000);
  EXPECT_THAT(Find(), ElementsAre(IsEmpty()));
}

TEST_F(CapturesTest, SeveralCapturesAreInTheOrderOfTheFile) {
  Python(0, 100'000);
  for (const int64_t at : {20'000, 10'000}) {
    Call("cudaStreamBeginCapture", at);
    Op(at == 10'000 ? "first" : "second", at + 100, at + 200);
    Call("cudaLaunchKernel", at + 150);
    Call("cudaStreamEndCapture", at + 300);
  }
  EXPECT_THAT(Find(),
              ElementsAre(ElementsAre("second:"), ElementsAre("first:")));
}

TEST_F(CapturesTest, CapturesThatOverlapAreNotSure) {
  Python(0, 100'000);
  Call("cudaStreamBeginCapture", 1000);
  Call("cudaStreamBeginCapture", 2000, "", 1);
  Call("cudaStreamEndCapture", 3000);
  Call("cudaStreamEndCapture", 4000, "", 1);
  EXPECT_THAT(Find(), IsEmpty());
}

// The clock may say that a function ends after the beginning of the next one.
TEST_F(CapturesTest, NeighboursThatOverlapALittleDoNotCallEachOther) {
  Python(0, 100'000);
  Call("cudaStreamBeginCapture", 1000);
  Op("aten::a", 2000, 3001);
  Op("aten::b", 3000, 5000);
  Call("cudaLaunchKernel", 4000);
  // It ends long after its caller: nothing calls it, and it calls nothing.
  Op("aten::c", 6000, 9000);
  Op("aten::late", 7000, 12'000);
  Call("cudaLaunchKernel", 8000);
  Call("cudaStreamEndCapture", 20'000);
  EXPECT_THAT(Find(), ElementsAre(ElementsAre("aten::b:", "aten::c:")));
}

TEST_F(CapturesTest, KindsOfWork) {
  const WorkKinds kinds(strings_);
  const auto of_kernel = [&](std::string_view name) {
    return strings_.Get(kinds.OfKernel(strings_.Intern(name)));
  };
  EXPECT_EQ(of_kernel("gemm"), "gemm");
  EXPECT_EQ(of_kernel("Memcpy DtoD (Device -> Device)"), "Memcpy");
  EXPECT_EQ(of_kernel("Memset (Device)"), "Memset");
  EXPECT_EQ(of_kernel("__amd_rocclr_fillBufferAligned"), "Memset");
  const auto of_call = [&](std::string_view name) {
    return kinds.OfCall(strings_.Intern(name), profile::kNone);
  };
  EXPECT_EQ(strings_.Get(of_call("hipMemcpyWithStream")), "Memcpy");
  EXPECT_EQ(strings_.Get(of_call("cudaMemsetAsync")), "Memset");
  EXPECT_EQ(of_call("cudaLaunchKernel"), profile::kNone);
}

TEST_F(CapturesTest, BatchesOfFiles) {
  EXPECT_EQ(AnnotatedBatch(events_, strings_), -1);
  Host(KinetoCategory::kRange, "capture_all", 0, 5);
  Host(KinetoCategory::kRange, "capture_32_FULL", 0, 5);
  EXPECT_EQ(AnnotatedBatch(events_, strings_), 32);
  EXPECT_EQ(BatchOfPath("dir_bs_7/bs_16_rank0.json.gz"), 16);
  EXPECT_EQ(BatchOfPath("bs_x/trace.json"), -1);
}

}  // namespace
}  // namespace tfprof::kineto
