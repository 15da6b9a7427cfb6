#include "loaders/tensorflow/transfer_text.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::tensorflow {
namespace {

TEST(TransferTextTest, Receives) {
  profile::Transfer text = ReadTransfer(
      "",
      "[128B] [1.517037Mb/s] edge_11_w2/read from "
      "/job:ps/replica:0/task:0/device:CPU:0 to /job:worker/task:0/cpu:0");
  EXPECT_EQ(text.bytes, 128);
  EXPECT_EQ(text.tensor, "edge_11_w2/read");
  EXPECT_EQ(text.from, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(text.to, "/job:worker/task:0/cpu:0");
  text = ReadTransfer("", "[1.5MB] x from /a to /b");
  EXPECT_EQ(text.bytes, 1572864);
  text = ReadTransfer("", "[cpu 1.3MB] a = _Recv(edge_5_b @/job:ps/cpu:0)");
  EXPECT_EQ(text.bytes, -1);
  EXPECT_EQ(text.tensor, "edge_5_b");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
  EXPECT_EQ(text.to, "");
  // Until 2020 the label had no bracket.
  text = ReadTransfer("", "a = _Recv(edge_5_b @/job:ps/cpu:0");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
}

TEST(TransferTextTest, LabelsThatSayNothing) {
  for (const std::string_view label :
       {"", "[", "[]", "[B] x", "[-4B] x from /a", "[1e300MB] y", "[nanB] z",
        "a = MatMul(b, c)", " to /b from /a", "@/job:ps"}) {
    const profile::Transfer text = ReadTransfer("", label);
    EXPECT_EQ(text.bytes, -1) << label;
    EXPECT_EQ(text.from, "") << label;
  }
}

TEST(TransferTextTest, Copies) {
  profile::Transfer text = ReadTransfer(
      "edge_3_x:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes (Pinned to Device)");
  EXPECT_EQ(text.kind, profile::CopyKind::kToDevice);
  EXPECT_EQ(text.bytes, 4096);
  text = ReadTransfer("a", "a:MatMul bytes:77 aync");
  EXPECT_EQ(text.kind, profile::CopyKind::kUnknown);
  EXPECT_EQ(text.bytes, 77);
  text = ReadTransfer(
      "a:Cast",
      "MemcpyD2D kind_src:device kind_dst:device size:512 dest:0 async:1");
  EXPECT_EQ(text.kind, profile::CopyKind::kOnDevice);
  EXPECT_EQ(text.bytes, 512);
  text = ReadTransfer("MEMCPYPtoP", "");
  EXPECT_EQ(text.kind, profile::CopyKind::kToPeer);
  EXPECT_EQ(text.bytes, -1);
  text = ReadTransfer("a", "99999999999999999999 bytes");
  EXPECT_EQ(text.kind, profile::CopyKind::kUnknown);
  EXPECT_EQ(text.bytes, -1);
}

TEST(TransferTextTest, TheDirectionInADeviceName) {
  EXPECT_EQ(CopyKindIn("stream:15<memcpyd2h>"), profile::CopyKind::kToHost);
  EXPECT_EQ(CopyKindIn("memcpyp2p"), profile::CopyKind::kToPeer);
  EXPECT_EQ(CopyKindIn("memcpy"), profile::CopyKind::kUnknown);
  EXPECT_EQ(CopyKindIn(""), profile::CopyKind::kUnknown);
}

TEST(TransferTextTest, TheOpOfALabel) {
  EXPECT_EQ(OpOfLabel("[cpu 1.3MB 1.3MB] a/b = MatMul(c, d)"), "MatMul");
  EXPECT_EQ(OpOfLabel("_SOURCE = NoOp()"), "NoOp");
  EXPECT_EQ(OpOfLabel("a = b"), "");
  EXPECT_EQ(OpOfLabel("volta_sgemm_32x32 regs:57 (x)"), "");
}

TEST(TransferTextTest, LabelsWithoutAnOp) {
  for (const std::string_view label :
       {"", " = ", "a = ", "a =b(c)", "(a = b"}) {
    EXPECT_EQ(OpOfLabel(label), "") << label;
  }
  EXPECT_EQ(OpOfLabel("a = ()"), "");
  EXPECT_EQ(OpOfLabel(" = b("), "b");
}

}  // namespace
}  // namespace tfprof::tensorflow
