#include "exporters/reference/tfvis_charts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "exporters/reference/step_stats.h"
#include "fmt/format.h"
#include "timeline/first_fit.h"
#include "timeline/intervals.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {
namespace {

constexpr size_t kFlushBytes = 1 << 16;
constexpr int64_t kMaxTime = int64_t{1} << 60;

struct Chart {
  std::string title;
  std::string_view device;
  bool communication = false;
  std::vector<StepStatsOp> boxes;
  uint32_t lanes = 0;
};

bool IsCommunication(const StepStatsOp& op) {
  return op.name == "RecvTensor" ||
         op.label.find(" = HorovodAllreduce(") != std::string_view::npos;
}

void PlaceBoxes(Chart& chart) {
  std::vector<size_t> by_start(chart.boxes.size());
  std::iota(by_start.begin(), by_start.end(), size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(), [&](size_t a, size_t b) {
    return chart.boxes[a].start < chart.boxes[b].start;
  });
  timeline::FirstFit lanes(timeline::FirstFit::Fit::kTouching, INT64_MIN);
  for (const size_t b : by_start) {
    StepStatsOp& box = chart.boxes[b];
    box.lane =
        lanes.Place(box.start, box.start + std::max<int64_t>(box.length, 1));
  }
  chart.lanes = lanes.rows();
}

std::vector<Chart> MakeCharts(std::vector<StepStatsDevice> devices) {
  std::vector<Chart> charts;
  for (StepStatsDevice& device : devices) {
    for (StepStatsOp& op : device.ops) {
      op.start = std::clamp(op.start, -kMaxTime, kMaxTime);
      op.length = std::clamp(op.length, -kMaxTime, kMaxTime);
    }
    const auto rest = std::stable_partition(
        device.ops.begin(), device.ops.end(),
        [](const auto& op) { return !IsCommunication(op); });
    std::vector<StepStatsOp> communication(rest, device.ops.end());
    device.ops.erase(rest, device.ops.end());
    const std::string name(device.name);
    if (!device.ops.empty()) {
      charts.push_back({name, device.name, false, std::move(device.ops)});
    }
    if (!communication.empty()) {
      charts.push_back({name + " (Communication)", device.name, true,
                        std::move(communication)});
    }
  }
  std::stable_sort(
      charts.begin(), charts.end(),
      [](const Chart& a, const Chart& b) { return a.title < b.title; });
  for (Chart& chart : charts) PlaceBoxes(chart);
  return charts;
}

timeline::Intervals UnionOf(const std::vector<Chart>& charts,
                            bool communication) {
  timeline::IntervalCollector all;
  for (const Chart& chart : charts) {
    if (chart.communication != communication) continue;
    for (const StepStatsOp& box : chart.boxes) {
      if (box.length > 0) all.Add(box.start, box.end());
    }
  }
  return std::move(all).Take();
}

class Writer {
 public:
  Writer(std::vector<Chart> charts, util::Sink& sink)
      : charts_(std::move(charts)), sink_(sink) {}

  void Write() {
    FindSpan();
    text_ = "{\"charts\": [";
    for (size_t c = 0; c < charts_.size(); ++c) {
      if (c > 0) text_ += ',';
      text_ += "\n ";
      WriteChart(charts_[c]);
    }
    text_ += "],\n \"figures\": {";
    WriteFigures();
    text_ += "}}\n";
    sink_.Write(text_);
  }

 private:
  void FindSpan() {
    bool any = false;
    for (const Chart& chart : charts_) {
      for (const StepStatsOp& box : chart.boxes) {
        first_ = any ? std::min(first_, box.start) : box.start;
        last_ = any ? std::max(last_, box.end()) : box.end();
        any = true;
      }
    }
  }

  void Text(std::string_view text) { util::AppendJsonString(text, &text_); }
  void Number(int64_t number) {
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }

  void WriteChart(const Chart& chart) {
    text_ += "{\"title\": ";
    Text(chart.title);
    text_ += ", \"device\": ";
    Text(chart.device);
    text_ += chart.communication ? ", \"communication\": true"
                                 : ", \"communication\": false";
    text_ += ", \"lanes\": ";
    Number(chart.lanes);
    text_ += ", \"boxes\": ";
    Number(static_cast<int64_t>(chart.boxes.size()));
    text_ += ", \"box\": [";
    for (size_t b = 0; b < chart.boxes.size(); ++b) {
      if (b > 0) text_ += ',';
      text_ += "\n  [";
      WriteBox(chart.boxes[b]);
      text_ += ']';
      if (text_.size() < kFlushBytes) continue;
      sink_.Write(text_);
      text_.clear();
    }
    text_ += "]}";
  }

  void WriteBox(const StepStatsOp& box) {
    Number(box.lane);
    text_ += ", ";
    Number(box.start - first_);
    text_ += ", ";
    Number(box.length);
    const auto label = ParseLabel(box.label);
    for (const std::string_view text :
         {box.name, label ? label->op : box.name, box.label}) {
      text_ += ", ";
      Text(text);
    }
  }

  void WriteFigures() {
    const timeline::Intervals communication = UnionOf(charts_, true);
    const timeline::Intervals compute = UnionOf(charts_, false);
    const int64_t busy =
        timeline::Length(timeline::Union(communication, compute));
    const std::pair<std::string_view, int64_t> figures[] = {
        {"step_time_us", last_ - first_},
        {"communication_time_us", timeline::Length(communication)},
        {"busy_time_us", busy},
        {"compute_only_union_us", timeline::Length(compute)},
        {"exposed_communication_us", busy - timeline::Length(compute)}};
    for (const auto& [name, value] : figures) {
      if (text_.back() != '{') text_ += ", ";
      Text(name);
      text_ += ": ";
      Number(value);
    }
  }

  const std::vector<Chart> charts_;
  util::Sink& sink_;
  std::string text_;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

}  // namespace

void WriteTfvisCharts(std::span<const std::string_view> step_stats,
                      util::Sink& sink) {
  Writer(MakeCharts(ReadStepStats(step_stats)), sink).Write();
}

}  // namespace tfprof::exporters
