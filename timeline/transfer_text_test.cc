#include "timeline/transfer_text.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(TransferTextTest, Receives) {
  TransferText text = ReadReceiveLabel(
      "[128B] [1.517037Mb/s] edge_11_w2/read from "
      "/job:ps/replica:0/task:0/device:CPU:0 to /job:worker/task:0/cpu:0");
  EXPECT_EQ(text.bytes, 128);
  EXPECT_EQ(text.tensor, "edge_11_w2/read");
  EXPECT_EQ(text.from, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(text.to, "/job:worker/task:0/cpu:0");
  text = ReadReceiveLabel("[1.5MB] x from /a to /b");
  EXPECT_EQ(text.bytes, 1572864);
  text = ReadReceiveLabel("[cpu 1.3MB] a = _Recv(edge_5_b @/job:ps/cpu:0)");
  EXPECT_EQ(text.bytes, -1);
  EXPECT_EQ(text.tensor, "edge_5_b");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
  EXPECT_EQ(text.to, "");
  // Until 2020 without the bracket.
  text = ReadReceiveLabel("a = _Recv(edge_5_b @/job:ps/cpu:0");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
}

TEST(TransferTextTest, LabelsThatSayNothing) {
  for (const std::string_view label :
       {"", "[", "[]", "[B] x", "[-4B] x from /a", "[1e300MB] y", "[nanB] z",
        "a = MatMul(b, c)", " to /b from /a", "@/job:ps"}) {
    const TransferText text = ReadReceiveLabel(label);
    EXPECT_EQ(text.bytes, -1) << label;
    EXPECT_EQ(text.from, "") << label;
  }
}

TEST(TransferTextTest, Copies) {
  CopyText text =
      ReadCopyText("edge_3_x:MEMCPYHtoD",
                   "MEMCPYHtoD 4096 bytes (Pinned to Device)", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kToDevice);
  EXPECT_EQ(text.bytes, 4096);
  text = ReadCopyText("a", "a:MatMul bytes:77 aync",
                      "/device:gpu:0/stream:15<memcpyd2h>");
  EXPECT_EQ(text.kind, CopyKind::kToHost);
  EXPECT_EQ(text.bytes, 77);
  text = ReadCopyText(
      "a:Cast",
      "MemcpyD2D kind_src:device kind_dst:device size:512 dest:0 async:1",
      "/device:gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kOnDevice);
  EXPECT_EQ(text.bytes, 512);
  text = ReadCopyText("MEMCPYPtoP", "", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kToPeer);
  EXPECT_EQ(text.bytes, -1);
  text = ReadCopyText("a", "99999999999999999999 bytes", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kUnknown);
  EXPECT_EQ(text.bytes, -1);
}

}  // namespace
}  // namespace tfprof
