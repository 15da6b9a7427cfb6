#include "exporters/reference/tfvis_charts.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/run_metadata.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string ChartsOf(const std::string& text) {
  proto::StepStats stats;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &stats));
  const std::string bytes = stats.SerializeAsString();
  const std::vector<std::string_view> messages = {bytes};
  util::StringSink sink;
  WriteTfvisCharts(messages, sink);
  return std::string(sink.text());
}

std::string Op(std::string_view name, int start, int length,
               std::string_view label) {
  std::string text = "node_stats { node_name: '";
  text.append(name);
  text.append("' all_start_micros: " + std::to_string(start));
  text.append(" all_end_rel_micros: " + std::to_string(length));
  text.append(" timeline_label: '");
  text.append(label);
  text.append("' }");
  return text;
}

std::string Device(std::string_view name, std::string_view ops) {
  std::string text = "dev_stats { device: '";
  text.append(name);
  text.append("' ");
  text.append(ops);
  text.append(" }");
  return text;
}

TEST(TfvisChartsTest, ABoxHasItsLaneTimeNameOpAndLabel) {
  const std::string charts =
      ChartsOf(Device("cpu", Op("a", 100, 10, "a = Add(x, y)") +
                                 Op("b", 105, 5, "no label of an op")));
  EXPECT_THAT(charts,
              HasSubstr("[0, 0, 10, \"a\", \"Add\", \"a = Add(x, y)\"]"));
  EXPECT_THAT(charts,
              HasSubstr("[1, 5, 5, \"b\", \"b\", \"no label of an op\"]"));
  EXPECT_THAT(charts, HasSubstr("\"lanes\": 2, \"boxes\": 2"));
}

TEST(TfvisChartsTest, ReceivingAndHorovodAreCommunication) {
  const std::string charts = ChartsOf(
      Device("cpu", Op("RecvTensor", 0, 10, "[4B] edge_1_x from a to b") +
                        Op("h", 20, 10, "h = HorovodAllreduce(g)") +
                        Op("m", 5, 10, "m = MatMul(x, y)")));
  EXPECT_THAT(charts,
              HasSubstr("\"title\": \"cpu (Communication)\", \"device\": "
                        "\"cpu\", \"communication\": true, \"lanes\": 1, "
                        "\"boxes\": 2"));
  EXPECT_THAT(charts, HasSubstr("\"communication_time_us\": 20"));
  EXPECT_THAT(charts, HasSubstr("\"busy_time_us\": 25"));
  EXPECT_THAT(charts, HasSubstr("\"compute_only_union_us\": 10"));
  EXPECT_THAT(charts, HasSubstr("\"exposed_communication_us\": 15"));
  EXPECT_THAT(charts, HasSubstr("\"step_time_us\": 30"));
}

TEST(TfvisChartsTest, AnEmptyBoxIsOneMicrosecondWide) {
  const std::string charts = ChartsOf(
      Device("cpu", Op("a", 0, 0, "") + Op("b", 0, 0, "") + Op("c", 1, 1, "")));
  EXPECT_THAT(charts, HasSubstr("[0, 0, 0, \"a\""));
  EXPECT_THAT(charts, HasSubstr("[1, 0, 0, \"b\""));
  EXPECT_THAT(charts, HasSubstr("[0, 1, 1, \"c\""));
}

TEST(TfvisChartsTest, DevicesOfOneNameStayApartAndChartsAreByTitle) {
  const std::string charts = ChartsOf(
      Device("b", Op("second", 0, 1, "")) + Device("a", Op("first", 0, 1, "")) +
      Device("b", Op("third", 0, 1, "")) + Device("c", ""));
  const size_t first = charts.find("first"), second = charts.find("second"),
               third = charts.find("third");
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_THAT(charts, Not(HasSubstr("\"c\"")));
  EXPECT_THAT(charts, HasSubstr("\"lanes\": 1, \"boxes\": 1"));
  EXPECT_THAT(charts, Not(HasSubstr("\"boxes\": 2")));
}

TEST(TfvisChartsTest, NothingHasNoChart) {
  EXPECT_EQ(
      ChartsOf(""),
      "{\"charts\": [],\n \"figures\": {\"step_time_us\": 0, "
      "\"communication_time_us\": 0, \"busy_time_us\": 0, "
      "\"compute_only_union_us\": 0, \"exposed_communication_us\": 0}}\n");
}

TEST(TfvisChartsTest, TimesOfAnySizeAreCut) {
  const std::string charts = ChartsOf(
      "dev_stats { device: 'd' "
      "node_stats { all_start_micros: -9223372036854775808 "
      "all_end_rel_micros: 9223372036854775807 } "
      "node_stats { all_start_micros: 9223372036854775807 "
      "all_end_rel_micros: -9223372036854775808 } }");
  EXPECT_THAT(charts, HasSubstr("\"busy_time_us\": 1152921504606846976"));
}

}  // namespace
}  // namespace tfprof::exporters
