#include "exporters/redact/redact.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/perfetto/saved_part.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {
namespace redact_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kToken = "hf_Ex4mpl3N0tR3alEx4mpl3N0tR3alEx4mpl3N0t";

std::shared_ptr<const loaders::InputFile> File(std::string bytes) {
  return loaders::InputFile::FromBytes("f", std::move(bytes));
}

std::string Redacted(const std::string& bytes,
                     const RedactOptions& options = {}) {
  const auto file = File(bytes);
  const auto redaction = Redact(*file, options);
  if (!redaction.ok()) return std::string(redaction.status().message());
  util::StringSink sink;
  WriteEdited(file->bytes(), redaction->edits, sink);
  return sink.text();
}

TEST(RedactTest, ATraceOfKineto) {
  const std::string trace =
      R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[{"ph":"X",)"
      R"("cat":"cpu_op","name":"at node7","ts":1,"dur":1,"pid":1,"tid":1}],)"
      R"("host_name":"node7"})";
  const std::string text = Redacted(trace);
  // The host comes after a text with its name.
  EXPECT_THAT(text, HasSubstr("at host1"));
  EXPECT_THAT(text, HasSubstr("\"host_name\":\"host1\""));
  EXPECT_THAT(Redacted(trace.substr(0, trace.size() - 2)),
              HasSubstr("what is behind it cannot be searched"));
}

// An XSpace with a plane that has a line with an event.
void WritePlane(util::WireWriter& w) {
  const util::WireMessage plane(w, 1);
  w.Bytes(2, "/host:CPU");
  {
    const util::WireMessage line(w, 3);
    w.Uint64(1, 1);
    w.Bytes(2, "main");
    const util::WireMessage event(w, 4);
    w.Uint64(1, 1);
    w.Uint64(3, 1000);
  }
  const util::WireMessage entry(w, 4);
  w.Uint64(1, 1);
  const util::WireMessage metadata(w, 2);
  w.Uint64(1, 1);
  w.Bytes(2, "/home/ann/f");
}

TEST(RedactTest, AnXPlane) {
  util::WireWriter w;
  WritePlane(w);
  w.Bytes(2, "an error on node7");  // XSpace.errors
  w.Bytes(4, "node7");
  const std::string text = Redacted(std::string(w.bytes()));
  EXPECT_THAT(text, HasSubstr("an error on host1"));
  EXPECT_THAT(text, HasSubstr("/home/user1/f"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("node7")));
}

// The saved trace in front of the packets is packed, so nothing in it is found.
TEST(RedactTest, TheSavedTraceOfAPerfettoFileIsLeftOut) {
  util::WireWriter w;
  {
    const util::WireMessage packet(w, 1);
    w.Uint64(10, 1);
    w.Bytes(perfetto::kSavedPiece, "\x1f\x8b packed");
  }
  const size_t saved = w.size();
  {
    const util::WireMessage packet(w, 1);
    w.Uint64(10, 1);
    const util::WireMessage descriptor(w, 60);
    w.Uint64(1, 7);
    w.Bytes(2, "/home/ann/f");
  }
  const std::string bytes(w.bytes());
  const std::string text = Redacted(bytes);
  EXPECT_THAT(text, HasSubstr("/home/user1/f"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("packed")));
  EXPECT_LT(text.size(), bytes.size() - saved + 5);
}

TEST(RedactTest, UnknownFilesAreRefused) {
  EXPECT_THAT(Redacted("hello"), StartsWith("f: this is no format"));
  EXPECT_THAT(Redacted(""), StartsWith("f: this is no format"));
  EXPECT_THAT(Redacted(std::string("SQLite format 3\0", 16)),
              HasSubstr("cannot be redacted"));
}

TEST(RedactTest, NamesAreThoseOfKineto) {
  EXPECT_THAT(Redacted(R"([{"ph":"X","name":"a","ts":1,"dur":1,"pid":1}])",
                       {.names = true}),
              HasSubstr("traces of Kineto only"));
}

// Nothing is written where a token would stay.
TEST(RedactTest, ATokenInOtherBytesIsRefused) {
  util::WireWriter w;
  {
    const util::WireMessage plane(w, 1);
    w.Bytes(2, "/host:CPU");
    w.Bytes(6, "\x01\xff" + std::string(kToken) + "\x02");
  }
  w.Bytes(4, "node7");
  EXPECT_THAT(Redacted(std::string(w.bytes())),
              HasSubstr("token of Hugging Face (hf_E…) is in bytes that are no "
                        "text"));
}

TEST(RedactTest, LookReadsAnyFile) {
  EXPECT_EQ(FoundText(Look(*File(""))), "");
  EXPECT_EQ(
      FoundText(Look(*File(std::string("SQLite format 3\0", 16) +
                           std::string(kToken) + '\0' + "/home/ann/x.py"))),
      "1 token (hf_E…), 1 user name (a…)");
  // A pickle, which is not executed.
  EXPECT_EQ(FoundText(Look(*File(std::string("\x80\x02X\x0e\0\0\0", 7) +
                                 "/home/bob/y.py."))),
            "1 user name (b…)");
}

}  // namespace redact_test
}  // namespace
}  // namespace tfprof::exporters
