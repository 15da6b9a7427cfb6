#include "exporters/redact/wire.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {
namespace wire_test {

using ::testing::HasSubstr;

constexpr WireField kFields[] = {{{4}, FieldMeaning::kHost},
                                 {{1, 2}, FieldMeaning::kCommandLine}};

std::string Redacted(std::string_view bytes) {
  Redactor redactor;
  const auto edits = RedactWire(bytes, kFields, redactor);
  if (!edits.ok()) return std::string(edits.status().message());
  util::StringSink sink;
  WriteEdited(bytes, *edits, sink);
  return sink.text();
}

// A message with strings, numbers and messages, written by a seed. `change` is
// applied to each string.
using Change = std::string (*)(const std::string& text);

void WriteRandom(std::mt19937& random, int depth, Change change,
                 util::WireWriter& w) {
  const std::vector<std::string> texts = {
      "/home/ann/train.py",
      "aten::mm",
      "",
      "x",
      std::string(200, 'k'),
      "mail a@b.example.org and /home/bob/" + std::string(150, 'p'),
      "hf_Ex4mpl3N0tR3alEx4mpl3N0tR3alEx4mpl3N0t",
      "\n",
      "naïve /home/ann"};
  const int fields = static_cast<int>(random() % 6);
  for (int i = 0; i < fields; ++i) {
    const uint32_t number = 5 + random() % 300;
    switch (random() % 4) {
      case 0:
        w.Uint64(number, random());
        break;
      case 1:
      case 2: {
        const std::string& text = texts[random() % texts.size()];
        w.Bytes(number, change(text));
        break;
      }
      default:
        if (depth < 6) {
          const util::WireMessage nested(w, number);
          // So that no message looks like text.
          w.Uint64(1, 1 + random() % 5);
          WriteRandom(random, depth + 1, change, w);
        }
    }
  }
}

std::string RandomMessage(uint32_t seed, Change change) {
  std::mt19937 random(seed);
  util::WireWriter w;
  w.Uint64(2, 7);
  WriteRandom(random, 0, change, w);
  return std::string(w.bytes());
}

std::string Same(const std::string& text) { return text; }
// What a redactor does that meets the secrets in any order.
std::string Hidden(const std::string& text) {
  Redactor redactor;
  return redactor.Text(text).value_or(text);
}
// Numbers depend on the order; without them texts can be compared.
std::string WithoutNumbers(std::string bytes) {
  for (const std::string name : {"user", "address ", "token "}) {
    for (size_t at = bytes.find(name); at != bytes.npos;
         at = bytes.find(name, at + 1)) {
      bytes[at + name.size()] = '1';
    }
  }
  return bytes;
}

TEST(RedactWireTest, LengthsOfAllMessagesFitTheirStrings) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    ASSERT_EQ(WithoutNumbers(Redacted(RandomMessage(seed, Same))),
              RandomMessage(seed, Hidden))
        << seed;
  }
}

TEST(RedactWireTest, FieldsHaveMeanings) {
  util::WireWriter w;
  w.Bytes(4, "node7");
  w.Bytes(5, "node7");
  {
    const util::WireMessage nested(w, 1);
    w.Bytes(2, "python train.py");
    w.Bytes(3, "python train.py");
  }
  util::WireWriter wanted;
  wanted.Bytes(4, "host1");
  wanted.Bytes(5, "node7");
  {
    const util::WireMessage nested(wanted, 1);
    wanted.Bytes(2, "[removed]");
    wanted.Bytes(3, "python train.py");
  }
  EXPECT_EQ(Redacted(w.bytes()), wanted.bytes());
}

// Its tag and its length are characters too.
TEST(RedactWireTest, AMessageOfStringsIsNoText) {
  const std::string path = "/home/ann/" + std::string(30, 'x');
  util::WireWriter w, wanted;
  for (const uint32_t field : {1U, 8U}) {
    {
      const util::WireMessage nested(w, 20);
      w.Bytes(field, path);
      w.Bytes(9, std::string(40, 'y'));
    }
    {
      const util::WireMessage nested(wanted, 20);
      wanted.Bytes(field, "/home/user1/" + std::string(30, 'x'));
      wanted.Bytes(9, std::string(40, 'y'));
    }
  }
  EXPECT_EQ(Redacted(w.bytes()), wanted.bytes());
}

TEST(RedactWireTest, OtherBytesStay) {
  util::WireWriter w;
  w.Bytes(3, std::string("\x01\xff/home/ann\x00", 12));
  EXPECT_EQ(Redacted(w.bytes()), w.bytes());
  EXPECT_EQ(Redacted(""), "");
}

TEST(RedactWireTest, DamageIsAnErrorWithItsByte) {
  EXPECT_THAT(Redacted("\x0a\x05x"), HasSubstr("byte 0: field 1"));
}

TEST(RedactWireTest, AnyBytesAreTakenOrRefused) {
  std::mt19937 random(3);
  const std::string good = RandomMessage(11, Same) + RandomMessage(12, Same);
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 3; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Redactor redactor;
    const auto edits = RedactWire(bytes, kFields, redactor);
    if (!edits.ok()) continue;
    util::StringSink sink;
    WriteEdited(bytes, *edits, sink);
    util::WireReader r(sink.text());
    while (r.Next()) {
    }
    EXPECT_FALSE(r.damaged()) << round;
  }
}

}  // namespace wire_test
}  // namespace
}  // namespace tfprof::exporters
