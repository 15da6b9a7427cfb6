#include "exporters/reference/step_stats.h"

#include <cstddef>
#include <utility>

#include "util/files/wire.h"

namespace tfprof::exporters {
namespace {

StepStatsOp ReadOp(std::string_view message) {
  StepStatsOp op;
  op.message = message;
  util::WireReader r(message);
  while (r.Next()) {
    switch (r.tag()) {
      case util::LengthTag(1):
        op.name = r.view();
        break;
      case util::VarintTag(2):
        op.start = r.int64();
        break;
      case util::VarintTag(5):
        op.length = r.int64();
        break;
      case util::LengthTag(8):
        op.label = r.view();
        break;
    }
  }
  return op;
}

StepStatsDevice ReadDevice(std::string_view message) {
  StepStatsDevice device;
  util::WireReader r(message);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(1)) device.name = r.view();
    if (r.tag() == util::LengthTag(2)) device.ops.push_back(ReadOp(r.view()));
  }
  device.is_gpu_tracer =
      device.name.find("/stream:") != std::string_view::npos ||
      device.name.find("/memcpy") != std::string_view::npos;
  return device;
}

}  // namespace

std::vector<StepStatsDevice> ReadStepStats(
    std::span<const std::string_view> step_stats) {
  std::vector<StepStatsDevice> devices;
  for (const std::string_view message : step_stats) {
    util::WireReader r(message);
    while (r.Next()) {
      if (r.tag() == util::LengthTag(1))
        devices.push_back(ReadDevice(r.view()));
    }
  }
  return devices;
}

KernelName ParseKernel(const StepStatsOp& kernel) {
  std::string_view name = kernel.name;
  const size_t begin = kernel.label.find("@@");
  const size_t end = kernel.label.find('#');
  if (begin != std::string_view::npos && end != std::string_view::npos &&
      begin + 2 < end) {
    name = kernel.label.substr(begin + 2, end - begin - 2);
  }
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {name, std::nullopt};
  const std::string_view rest = name.substr(colon + 1);
  return {name.substr(0, colon), rest.substr(0, rest.find(':'))};
}

std::optional<OpLabel> ParseLabel(std::string_view label) {
  constexpr std::string_view kEquals = " = ";
  label = label.substr(0, label.find('\n'));
  OpLabel parsed;
  const size_t close = label.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  const size_t open = label.rfind('(', close);
  if (open == std::string_view::npos || open < kEquals.size())
    return std::nullopt;
  const size_t equals = label.rfind(kEquals, open - kEquals.size());
  if (equals == std::string_view::npos) return std::nullopt;
  const size_t op = equals + kEquals.size();
  parsed.op = label.substr(op, open - op);
  std::string_view rest = label.substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    parsed.inputs.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 2);
    if (rest.empty()) parsed.inputs.push_back(rest);  // as in str.split
  }
  return parsed;
}

}  // namespace tfprof::exporters
