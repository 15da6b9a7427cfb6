#include "views/field.h"

#include <set>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;

template <typename Fields>
std::vector<std::string_view> Words(const Fields& fields) {
  std::vector<std::string_view> words;
  for (const Field field : fields) words.push_back(FieldWord(field));
  return words;
}

TEST(FieldTest, StatisticsAndTexts) {
  EXPECT_TRUE(Field(accounting::kRunCount).is_stat());
  EXPECT_EQ(Field(accounting::kRunCount).stat(), accounting::kRunCount);
  EXPECT_FALSE(Field(Field::kDevice).is_stat());
  for (const TextField& text : kTextFields) {
    EXPECT_EQ(&TextFieldOf(text.field), &text);
    EXPECT_EQ(FieldHelp(text.field), text.help);
  }
  EXPECT_EQ(FieldWord(accounting::kRequestedBytes), "bytes");
  EXPECT_EQ(FieldHelp(accounting::kMicros),
            accounting::StatisticOf(accounting::kMicros).help);
}

TEST(FieldTest, OrderOfASelection) {
  EXPECT_THAT(Words(kFieldsByWord),
              ElementsAre("accelerator_micros", "bytes", "cpu_micros", "device",
                          "float_ops", "input_shapes", "micros", "occurrence",
                          "op_types", "output_bytes", "params", "peak_bytes",
                          "residual_bytes", "tensor_value"));
}

TEST(FieldTest, OrderOfCompletion) {
  EXPECT_THAT(Words(kFieldsByPlace),
              ElementsAre("bytes", "micros", "params", "float_ops",
                          "tensor_value", "device", "op_types", "occurrence",
                          "input_shapes", "accelerator_micros", "cpu_micros",
                          "peak_bytes", "residual_bytes", "output_bytes"));
}

TEST(FieldSetTest, HasWhatWasAdded) {
  FieldSet set;
  EXPECT_EQ(set.size(), 0);
  set.Add(accounting::kRequestedBytes);
  set.Add(Field::kTensorValue);
  set.Add(accounting::kRequestedBytes);
  EXPECT_EQ(set.size(), 2);
  for (const Field field : kFieldsByWord) {
    EXPECT_EQ(set.Has(field), field == accounting::kRequestedBytes ||
                                  field == Field::kTensorValue)
        << FieldWord(field);
  }
}

}  // namespace
}  // namespace tfprof::views
