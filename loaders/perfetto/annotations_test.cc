#include "loaders/perfetto/annotations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "loaders/perfetto/perfetto_testing.h"

namespace tfprof::perfetto {
namespace {

class AnnotationsTest : public ::testing::Test {
 protected:
  AnnotationsTest() {
    state_.file = loaders::InputFile::FromBytes("t", "");
    texts_.Set(TextTable::kKeys, 1, "key");
    texts_.Set(TextTable::kValues, 7, "sent");
    texts_.Set(TextTable::kValues, uint64_t{1} << 60, "far");
  }
  std::string Json(const Fill& fill) {
    std::string json = "{";
    AppendAnnotation(Message(fill), {.texts = texts_, .log = &log_}, json);
    return json;
  }

  Texts texts_;
  TraceState state_;
  loaders::ImportLog import_log_;
  PacketLog log_{state_, import_log_};
};

TEST_F(AnnotationsTest, WritesEachKindOfValue) {
  const auto value = [&](const Fill& fill) {
    return Json([&](auto& w) {
      w.Bytes(10, "k");
      fill(w);
    });
  };
  EXPECT_EQ(value([](auto& w) { w.Int64(2, 1); }), R"({"k":true)");
  EXPECT_EQ(value([](auto& w) { w.Int64(2, 0); }), R"({"k":false)");
  EXPECT_EQ(value([](auto& w) { w.Uint64(3, ~uint64_t{0}); }),
            R"({"k":18446744073709551615)");
  EXPECT_EQ(value([](auto& w) { w.Int64(4, -5); }), R"({"k":-5)");
  EXPECT_EQ(value([](auto& w) { w.Double(5, 0.5); }), R"({"k":0.5)");
  EXPECT_EQ(value([](auto& w) { w.Double(5, NAN); }), R"({"k":"nan")");
  EXPECT_EQ(value([](auto& w) { w.Bytes(6, "a\"b\n"); }), R"({"k":"a\"b\n")");
  EXPECT_EQ(value([](auto& w) { w.Int64(17, 7); }), R"({"k":"sent")");
  EXPECT_EQ(value([](auto& w) { w.Uint64(17, uint64_t{1} << 60); }),
            R"({"k":"far")");
  EXPECT_EQ(value(Nothing), R"({"k":[])");
}

TEST_F(AnnotationsTest, WritesListsAndDictionaries) {
  EXPECT_EQ(Json([](auto& w) {
              w.Int64(1, 1);
              for (int i = 1; i <= 2; ++i) {
                const util::WireMessage element(w, 12);
                w.Int64(4, i);
              }
            }),
            R"({"key":[1,2])");
  EXPECT_EQ(Json([](auto& w) {
              w.Int64(1, 1);
              const util::WireMessage member(w, 11);
              w.Bytes(10, "in");
              const util::WireMessage inner(w, 12);
              w.Int64(4, 3);
            }),
            R"({"key":{"in":[3]})");
}

TEST_F(AnnotationsTest, StopsAtTheDeepestLevel) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes = Message([&](auto& w) { w.Bytes(12, bytes); });
  }
  std::string json = "{";
  AppendAnnotation(bytes, {.texts = texts_, .log = &log_}, json);
  EXPECT_EQ(json, R"({"":)" + std::string(kMaxDepth + 1, '[') +
                      std::string(kMaxDepth + 1, ']'));
  ASSERT_EQ(import_log_.entries().size(), 1u);
  EXPECT_EQ(import_log_.entries()[0].kind, "annotation too deep");
}

TEST_F(AnnotationsTest, TextsThatWereNeverSentAreCounted) {
  EXPECT_EQ(Json([](auto& w) {
              w.Int64(1, 2);
              w.Int64(17, 8);
            }),
            "{\"(name lost)\":\"(name lost)\"");
  ASSERT_EQ(import_log_.entries().size(), 1u);
  EXPECT_EQ(import_log_.entries()[0].count, 2);
  EXPECT_TRUE(import_log_.damaged());
}

TEST_F(AnnotationsTest, DamageIsCountedAndTheJsonIsWhole) {
  std::string json = "{";
  AppendAnnotation(std::string("\x52\x01k\x62\x02\x20\x05\x62\x09", 9),
                   {.texts = texts_, .log = &log_}, json);
  EXPECT_EQ(json, R"({"k":[5])");
  ASSERT_EQ(import_log_.entries().size(), 1u);
  EXPECT_EQ(import_log_.entries()[0].kind, "damaged annotation");
}

TEST_F(AnnotationsTest, LargeAnnotationsAreLeftOut) {
  const std::string large(kMaxArguments, 'a');
  const auto fill = [&](auto& w) { w.Bytes(6, large); };
  EXPECT_EQ(Json(fill), "{");
  ASSERT_EQ(import_log_.entries().size(), 1u);
  EXPECT_EQ(import_log_.entries()[0].kind, "annotations too large");
}

TEST_F(AnnotationsTest, AWholeAnnotationCountsNothing) {
  std::string deepest, too_deep;
  for (int i = 0; i < kMaxDepth; ++i) {
    deepest = Message([&](auto& w) { w.Bytes(12, deepest); });
  }
  too_deep = Message([&](auto& w) { w.Bytes(12, deepest); });
  const std::string lost_value = Message([](auto& w) { w.Int64(17, 8); });
  const std::string lost_key = Message([](auto& w) {
    const util::WireMessage member(w, 11);
    w.Int64(1, 9);
    w.Int64(17, 7);
  });
  const std::string sent = Message([&](auto& w) {
    w.Int64(1, 1);
    w.Bytes(11, Message([](auto& w) {
              w.Int64(1, 1);
              w.Int64(17, 7);
            }));
    w.Bytes(11, Message([](auto& w) { w.Bytes(6, "text"); }));
    w.Bytes(11, Message([](auto& w) { w.Int64(4, -5); }));
  });
  const std::string in_list =
      Message([&](auto& w) { w.Bytes(12, lost_value); });
  for (const std::string& annotation :
       {std::string(), deepest, too_deep, lost_value, lost_key, sent, in_list,
        std::string("\x20\x05\x62\x09"), std::string("\x62\x02\x20"),
        std::string("\x62\x03\x32\x02\x61"), std::string("\x20\x85")}) {
    loaders::ImportLog counted;
    PacketLog log(state_, counted);
    std::string json = "{";
    AppendAnnotation(annotation, {.texts = texts_, .log = &log}, json);
    EXPECT_EQ(IsWhole(annotation, texts_), counted.entries().empty()) << json;
  }
}

TEST_F(AnnotationsTest, IntegersMayBeTexts) {
  const TextFinder texts = {.texts = texts_};
  EXPECT_EQ(AnnotationInteger(Message([](auto& w) { w.Int64(3, 5); }), texts),
            5);
  EXPECT_EQ(
      AnnotationInteger(Message([](auto& w) { w.Bytes(6, "-7"); }), texts), -7);
  EXPECT_EQ(AnnotationInteger(Message([](auto& w) { w.Int64(17, 7); }), texts),
            std::nullopt);
  EXPECT_EQ(AnnotationText(Message([](auto& w) { w.Int64(17, 7); }), texts),
            "sent");
}

TEST(TextsTest, ATableMayHaveGapsAndBeCleared) {
  Texts texts;
  EXPECT_TRUE(texts.empty());
  for (const uint64_t id :
       {uint64_t{0}, uint64_t{3}, uint64_t{1000000}, ~uint64_t{0}}) {
    EXPECT_EQ(texts.Find(TextTable::kNames, id), nullptr);
    texts.Set(TextTable::kNames, id, "x");
    ASSERT_NE(texts.Find(TextTable::kNames, id), nullptr);
  }
  EXPECT_EQ(texts.Find(TextTable::kNames, 1), nullptr);
  EXPECT_EQ(texts.Find(TextTable::kKeys, 0), nullptr);
  texts.Set(TextTable::kNames, 1, {});
  ASSERT_NE(texts.Find(TextTable::kNames, 1), nullptr);
  EXPECT_EQ(*texts.Find(TextTable::kNames, 1), "");
  texts.Clear(TextTable::kNames);
  EXPECT_EQ(texts.Find(TextTable::kNames, 3), nullptr);
  EXPECT_FALSE(texts.empty());
}

}  // namespace
}  // namespace tfprof::perfetto
