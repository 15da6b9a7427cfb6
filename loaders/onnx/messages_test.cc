#include "loaders/onnx/messages.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::onnx {
namespace {

TEST(OnnxMessagesTest, TheTableIsRight) {
  EXPECT_EQ(ModelMessages().wrong_word(), "");
}

TEST(OnnxMessagesTest, DamageInPartsThatAreNotRead) {
  // graph { node { attribute { t { external_data { key: "a" … } } } } }
  const std::string end =
      "\x0a\x01"
      "a";
  const auto model = [&](const std::string& more) {
    std::string field = end + more;
    for (const char tag : {'\x6a', '\x2a', '\x2a', '\x0a', '\x3a'}) {
      std::string outer(1, tag);
      outer += static_cast<char>(field.size());
      field = outer + field;
    }
    return field;
  };
  EXPECT_EQ(ModelMessages().FindDamage(model("")), std::nullopt);
  EXPECT_EQ(ModelMessages().FindDamage(model("\x07")), 13u);
}

}  // namespace
}  // namespace tfprof::onnx
