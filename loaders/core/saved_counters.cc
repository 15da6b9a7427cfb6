#include "loaders/core/saved_counters.h"

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "util/files/wire.h"

namespace tfprof::loaders {
namespace {

using ColumnsOfNumbers =
    std::array<std::vector<int64_t>, saved_counters::kValueBits + 1>;

bool ReadColumns(std::string_view bytes, ColumnsOfNumbers& columns) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.number() < columns.size()) {
      good &= util::AppendInts(r, columns[r.number()]);
    }
  }
  return good && !r.damaged();
}

}  // namespace

bool ReadSavedCounters(std::string_view bytes, const SavedCounterPlaces& places,
                       profile::StringPool& strings,
                       profile::KernelCounters& counters) {
  counters = {};
  std::vector<std::string_view> texts = {""};
  ColumnsOfNumbers columns;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(saved_counters::kText)) {
      texts.push_back(r.view());
    } else if (r.tag() == util::LengthTag(saved_counters::kColumns)) {
      if (!ReadColumns(r.view(), columns)) return false;
    }
  }
  if (r.damaged()) return false;
  const size_t num_counters = columns[saved_counters::kCounterName].size();
  const size_t num_kernels = columns[saved_counters::kKernelName].size();
  for (uint32_t c = saved_counters::kNode; c <= saved_counters::kDuration;
       ++c) {
    if (columns[c].size() != num_kernels) return false;
  }
  // Divided, because the product may overflow.
  const std::vector<int64_t>& bits = columns[saved_counters::kValueBits];
  if (columns[saved_counters::kCounterKind].size() != num_counters ||
      (num_counters == 0 ? !bits.empty() || num_kernels != 0
                         : bits.size() % num_counters != 0 ||
                               bits.size() / num_counters != num_kernels)) {
    return false;
  }
  const auto text = [&](int64_t number) {
    return number > 0 && static_cast<uint64_t>(number) < texts.size()
               ? texts[static_cast<size_t>(number)]
               : std::string_view();
  };
  profile::KernelCounters read;
  for (size_t c = 0; c < num_counters; ++c) {
    read.counters.push_back(
        {strings.Intern(text(columns[saved_counters::kCounterName][c])),
         columns[saved_counters::kCounterKind][c] == 0
             ? profile::KernelCounters::Kind::kSum
             : profile::KernelCounters::Kind::kMean});
  }
  for (size_t k = 0; k < num_kernels; ++k) {
    const auto at = [&](uint32_t column) { return columns[column][k]; };
    const int64_t name = at(saved_counters::kKernelName);
    const int64_t lane = at(saved_counters::kLane);
    read.kernels.push_back(
        {.name = name == 0 ? profile::kNone : strings.Intern(text(name)),
         .node = places.node(at(saved_counters::kNode)),
         .step = at(saved_counters::kStep),
         .lane = lane == 0 ? profile::kNone : places.lane(lane, text(lane)),
         .start = at(saved_counters::kStart),
         .duration = at(saved_counters::kDuration)});
  }
  read.values.reserve(bits.size());
  for (const int64_t value : bits) {
    read.values.push_back(std::bit_cast<double>(value));
  }
  counters = std::move(read);
  return true;
}

}  // namespace tfprof::loaders
