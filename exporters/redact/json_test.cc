#include "exporters/redact/json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {
namespace json_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Redacted(std::string_view json, bool names = false) {
  Redactor redactor;
  const auto edits = RedactJson(json, names, redactor);
  if (!edits.ok()) return std::string(edits.status().message());
  util::StringSink sink;
  WriteEdited(json, *edits, sink);
  return sink.text();
}

TEST(RedactJsonTest, OnlySecretsChange) {
  EXPECT_EQ(Redacted(R"( {"a" : [1.50, NaN , "/home/ann/x"],,"b":"\u0041"} )"),
            R"( {"a" : [1.50, NaN , "/home/user1/x"],,"b":"\u0041"} )");
  EXPECT_EQ(Redacted("[]"), "[]");
  EXPECT_EQ(Redacted("\xef\xbb\xbf[\"a@b.example.org\"]\n"),
            "\xef\xbb\xbf[\"[e-mail address 1]\"]\n");
}

TEST(RedactJsonTest, EscapesAreDecodedAndWritten) {
  EXPECT_EQ(Redacted(R"(["C:\\Users\\ann\\x \"q\"", "\/home\/ann"])"),
            R"(["C:\\Users\\user1\\x \"q\"", "/home/user1"])");
  EXPECT_EQ(Redacted(R"(["\u002fhome/ann/\n"])"), R"(["/home/user1/\n"])");
}

TEST(RedactJsonTest, KeysSayWhatValuesAre) {
  EXPECT_EQ(Redacted(R"({"env":{"A":"x","B":{"C":"y"},"D":1,"E":""}})"),
            R"({"env":{"A":"[removed]","B":{"C":"[removed]"},"D":1,"E":""}})");
  EXPECT_EQ(Redacted(R"({"environ":["A=x","B="]})"),
            R"({"environ":["A=[removed]","B="]})");
  EXPECT_EQ(Redacted(R"({"command":["a","b"],"cmd_line":"a b"})"),
            R"({"command":["[removed]","[removed]"],"cmd_line":"[removed]"})");
  EXPECT_EQ(Redacted(R"({"host_name":"n1","hostname":"n2","args":{"x":"n1"}})"),
            R"({"host_name":"host1","hostname":"host2","args":{"x":"n1"}})");
  EXPECT_EQ(Redacted(R"({"api_key":"abcdefgh1","token":"attention"})"),
            R"({"api_key":"[password 1]","token":"attention"})");
  // What is around says nothing about the members of other objects.
  EXPECT_EQ(Redacted(R"({"command":{"a":"b"},"args":{"c":"d"}})"),
            R"({"command":{"a":"b"},"args":{"c":"d"}})");
}

TEST(RedactJsonTest, KeysAreTextsToo) {
  EXPECT_EQ(Redacted(R"({"/home/ann/x":1})"), R"({"/home/user1/x":1})");
}

TEST(RedactJsonTest, DamageIsAnErrorWithItsByte) {
  EXPECT_THAT(Redacted(R"({"a": "/home/ann)"), StartsWith("byte 16:"));
  EXPECT_THAT(Redacted(R"({"a" "b"})"), HasSubstr("expected ':'"));
  EXPECT_THAT(Redacted("{} x"), StartsWith("byte 3: expected the end"));
  EXPECT_THAT(Redacted(""), StartsWith("byte 0:"));
}

TEST(RedactJsonTest, DeepFilesNeedNoStack) {
  const size_t depth = 200'000;
  const std::string text =
      std::string(depth, '[') + "\"/home/ann\"" + std::string(depth, ']');
  EXPECT_THAT(Redacted(text), HasSubstr("[\"/home/user1\"]"));
}

TEST(RedactJsonTest, NamesOfTheAuthor) {
  const auto event = [](std::string_view category, std::string_view name) {
    return "{\"traceEvents\":[{\"name\":\"" + std::string(name) +
           "\",\"args\":{\"name\":\"kept\"},\"cat\":\"" +
           std::string(category) + "\"}]}";
  };
  const auto renamed = [&](std::string_view category, std::string_view from,
                           std::string_view to) {
    EXPECT_EQ(Redacted(event(category, from), true), event(category, to));
    // Without -names.
    EXPECT_EQ(Redacted(event(category, from)), event(category, from));
  };
  renamed("user_annotation", "my block", "range1");
  renamed("python_function", "nn.Module: Net_0", "nn.Module: Module1_0");
  renamed("python_function", "net/a.py(12): f", "file1.py(12): function1");
  // What everybody knows, or what reports depend on.
  for (const char* name :
       {"ProfilerStep#3", "aten::mm", "nccl:all_reduce", "forward",
        "Optimizer.step#SGD.step", "execute_context_1(700)_generation_2(2)",
        "cudaLaunchKernel", "layer_norm"}) {
    renamed("user_annotation", name, name);
  }
  for (const char* name :
       {"torch/nn/modules/module.py(1501): _call_impl",
        "/x/lib/python3.9/site-packages/a.py(1): b",
        "<built-in method f of type object at 0x1>", "<string>(1): <module>"}) {
    renamed("python_function", name, name);
  }
  renamed("kernel", "my_kernel", "my_kernel");
  EXPECT_EQ(Redacted(R"([{"args":{"Call stack":"a/b.py(1): f;torch/c.py(2): )"
                     R"(g"}}])",
                     true),
            R"([{"args":{"Call stack":"file1.py(1): function1;)"
            R"(torch/c.py(2): g"}}])");
}

TEST(RedactJsonTest, StopsWhenItIsCancelled) {
  util::Cancellation cancellation;
  cancellation.Request();
  Redactor redactor;
  EXPECT_EQ(
      RedactJson(R"(["a"])", false, redactor, &cancellation).status().code(),
      absl::StatusCode::kCancelled);
}

}  // namespace json_test
}  // namespace
}  // namespace tfprof::exporters
