#include "loaders/tensorflow/pickle/pickle.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/run_metadata.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using std::string_literals::operator""s;

std::string Short(std::string_view text) {
  return "\x8c"s + static_cast<char>(text.size()) + std::string(text);
}
std::string Bytes(std::string_view bytes) {
  std::string size(4, '\0');
  for (int i = 0; i < 4; ++i) {
    size[static_cast<size_t>(i)] = static_cast<char>(bytes.size() >> 8 * i);
  }
  return "B" + size + std::string(bytes);
}
// Protocol 4: {'serialized': first}, {'serialized': second}. The second key
// comes from the memo.
std::string TwoMessages(std::string_view first, std::string_view second) {
  return "\x80\x04"s + Short("mod") + Short("Cls") + "\x93\x94" + "}" +
         Short("serialized") + "\x94" + Bytes(first) + "\x94s}" + "h\x01" +
         Bytes(second) + "s.";
}

TEST(PickleTest, MessagesUnderTheirKey) {
  const std::string pickle = TwoMessages("one", "two");
  ASSERT_TRUE(IsPickle(pickle));
  const PickledMessages found = ReadPickle(pickle);
  EXPECT_THAT(found.messages, ElementsAre("one", "two"));
  EXPECT_THAT(found.names, ElementsAre("mod.Cls"));
  EXPECT_EQ(found.damage, "");
}

TEST(PickleTest, AMessageAloneIsInNoList) {
  const PickledMessages found = ReadPickle(TwoMessages("one", "two"));
  ASSERT_EQ(found.places.size(), 2u);
  EXPECT_EQ(found.places[0].run, -1);
  EXPECT_EQ(found.places[1].run, -1);
}

TEST(PickleTest, RowsOfASession) {
  // The keys of the second row come from the memo.
  const PickledMessages found =
      ReadPickle("\x80\x04}("s + Short("fetches") + "\x94" + Short("train") +
                 "\x94" + Short("feeds") + Short("{x: 1}") + Short("runs") +
                 "\x94K\x07" + Short("run_id") + "\x94K\x00u}(h\x00"s +
                 Short("loss") + "h\x02M\x01\x01h\x03K\x02u."s);
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_EQ(found.rows[0].fetches, "train");
  EXPECT_EQ(found.rows[0].runs, 7);
  EXPECT_EQ(found.rows[0].run, 0);
  EXPECT_EQ(found.rows[1].fetches, "loss");
  EXPECT_EQ(found.rows[1].runs, 257);
  EXPECT_EQ(found.rows[1].run, 2);
}

// {1: [None, message, message], 300: [message]}, as a session stores traces.
TEST(PickleTest, MessagesOfASessionHaveTheirPlaces) {
  const auto message = [](std::string_view bytes) {
    return "}" + Short("serialized") + Bytes(bytes) + "s";
  };
  const PickledMessages found = ReadPickle(
      "\x80\x04}("s + "K\x01]q\x05(N" + message("one") + message("two") + "e" +
      "M\x2c\x01]" + message("three") + "au.");
  EXPECT_THAT(found.messages, ElementsAre("one", "two", "three"));
  ASSERT_EQ(found.places.size(), 3u);
  EXPECT_EQ(found.places[0].run, 1);
  EXPECT_EQ(found.places[0].trace, 1);
  EXPECT_EQ(found.places[1].trace, 2);
  EXPECT_EQ(found.places[2].run, 300);
  EXPECT_EQ(found.places[2].trace, 0);
}

TEST(PickleTest, OtherBytesAreNoMessages) {
  EXPECT_THAT(
      ReadPickle("\x80\x04"s + Short("other") + Bytes("x") + ".").messages,
      IsEmpty());
}

TEST(PickleTest, OldProtocolsNumberTheirMemo) {
  const std::string pickle = "\x80\x02"s + "cmod\nCls\nq\x07" +
                             "U\x0aserializedq\x09" + "T\x03\0\0\0"s + "one" +
                             "h\x09U\x03two.";
  EXPECT_THAT(ReadPickle(pickle).messages, ElementsAre("one", "two"));
}

TEST(PickleTest, NothingIsCalled) {
  const PickledMessages found =
      ReadPickle("\x80\x03"s + "cos\nsystem\nX\x02\0\0\0"s + "ls\x85R.");
  EXPECT_THAT(found.names, ElementsAre("os.system"));
  EXPECT_THAT(found.messages, IsEmpty());
}

TEST(PickleTest, EveryCutIsSaid) {
  const std::string pickle = TwoMessages("one", "two");
  for (size_t size = 3; size < pickle.size(); ++size) {
    const PickledMessages found = ReadPickle(pickle.substr(0, size));
    EXPECT_THAT(found.damage, HasSubstr("byte ")) << size;
    EXPECT_LE(found.messages.size(), 2u);
  }
}

TEST(PickleTest, SizesAndNumbersThatAreNotThere) {
  EXPECT_THAT(ReadPickle("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff"
                         "ab")
                  .damage,
              HasSubstr("of which 2 are there"));
  EXPECT_THAT(ReadPickle("\x80\x04r\xff\xff\xff\xffj\xff\xff\xff\xff.").damage,
              IsEmpty());
  EXPECT_THAT(ReadPickle("\x80\x04\xff").damage,
              HasSubstr("byte 2: unknown instruction 0xff"));
}

TEST(PickleTest, WhatIsNoPickle) {
  for (const std::string_view bytes :
       {"", "\x80", "\x80\x04", "\x80\x01.", "\x80\x09.", "not a pickle"}) {
    EXPECT_FALSE(IsPickle(bytes));
  }
}

class PickleFilesTest : public loaders::FolderTest {};

TEST_F(PickleFilesTest, EachMessageIsAStep) {
  const std::string run =
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta);
  const loaders::Loaded loaded = *loaders::LoadFlagged(
      {{"pickle_path", Write("p", TwoMessages(run, run))}});
  EXPECT_EQ(loaded.profile.steps().size(), 2u);
  EXPECT_THAT(
      Error(loaders::LoadFlagged(
          {{"pickle_path", Write("h", "\x80\x03"s + "cos\nsystem\n.")}})),
      HasSubstr("without RunMetadata, which names os.system"));
}

}  // namespace
}  // namespace tfprof::tensorflow
