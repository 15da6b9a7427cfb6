#include "loaders/ctf/model/counter_model.h"

#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof::ctf {
namespace {

// Numbers the counters by name.
class CounterNumbers {
 public:
  CounterNumbers(profile::StringPool& strings,
                 profile::KernelCounters& counters)
      : strings_(strings), counters_(counters) {}

  size_t Of(std::string_view name) {
    const profile::StringId id = strings_.Intern(name);
    const auto [it, is_new] =
        numbers_.try_emplace(id, counters_.counters.size());
    if (is_new)
      counters_.counters.push_back({id, profile::KindOfCounter(name)});
    return it->second;
  }

 private:
  profile::StringPool& strings_;
  profile::KernelCounters& counters_;
  absl::flat_hash_map<profile::StringId, size_t> numbers_;
};

}  // namespace

profile::KernelCounters ModelCounters(
    const TraceFacts& facts, const std::vector<CountedKernel>& counted,
    const std::vector<loaders::CounterFile>& files,
    profile::StringPool& strings,
    const std::function<profile::KernelCounters::Kernel(const CountedKernel&)>&
        place) {
  profile::KernelCounters model;
  CounterNumbers numbers(strings, model);
  // The (counter, value) pairs of each kernel. The row width is known only at
  // the end.
  std::vector<std::vector<std::pair<size_t, double>>> counts(counted.size());
  for (size_t k = 0; k < counted.size(); ++k) {
    const CountedKernel& kernel = counted[k];
    model.kernels.push_back(place(kernel));
    model.kernels.back().name = strings.Intern(kernel.name);
    if (kernel.set != profile::kNone) {
      for (const auto& count : facts.counter_sets[kernel.set].counts) {
        if (count.counter == profile::kNone) continue;
        counts[k].emplace_back(numbers.Of(facts.names.Get(count.counter)),
                               count.value);
      }
    } else {
      const loaders::CounterFile& file = files[kernel.file];
      const std::vector<double>& values = file.kernels[kernel.row].values;
      for (size_t c = 0; c < values.size(); ++c) {
        counts[k].emplace_back(numbers.Of(file.counters[c]), values[c]);
      }
    }
  }
  const size_t width = model.counters.size();
  model.values.assign(counted.size() * width,
                      std::numeric_limits<double>::quiet_NaN());
  for (size_t k = 0; k < counted.size(); ++k) {
    for (const auto& [counter, value] : counts[k]) {
      model.values[k * width + counter] = value;
    }
  }
  return model;
}

}  // namespace tfprof::ctf
