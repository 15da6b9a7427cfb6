#include "loaders/ctf/model/kernel_counts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace tfprof::ctf {
namespace {

// The records with one name, in the order of time.
struct OfName {
  std::vector<uint32_t> activities, launches;
  std::vector<uint32_t> sets;
};

class Matcher {
 public:
  Matcher(const TraceFacts& facts, const Attribution& attribution)
      : facts_(facts), attribution_(attribution), open_(facts) {
    for (uint32_t i = 0; i < facts.activities.size(); ++i) {
      const Activity& activity = facts.activities[i];
      if (activity.work == DeviceWork::kKernel &&
          activity.clock != DeviceClock::kUnknown &&
          activity.name != profile::kNone) {
        names_[facts.names.Get(activity.name)].activities.push_back(i);
      }
    }
    for (uint32_t i = 0; i < facts.launches.size(); ++i) {
      if (facts.launches[i].name == profile::kNone) continue;
      names_[facts.names.Get(facts.launches[i].name)].launches.push_back(i);
    }
    for (auto& [name, of_name] : names_) {
      std::stable_sort(of_name.activities.begin(), of_name.activities.end(),
                       [&](uint32_t a, uint32_t b) {
                         return facts.activities[a].begin <
                                facts.activities[b].begin;
                       });
    }
  }

  CountedKernels Run(const std::vector<loaders::CounterFile>& files) {
    AddSets();
    for (uint32_t f = 0; f < files.size(); ++f) AddFile(f, files[f]);
    std::stable_sort(result_.kernels.begin(), result_.kernels.end(),
                     [&](const CountedKernel& a, const CountedKernel& b) {
                       return BeginOf(a) < BeginOf(b);
                     });
    return std::move(result_);
  }

 private:
  int64_t BeginOf(const CountedKernel& kernel) const {
    if (kernel.activity != profile::kNone) {
      return facts_.activities[kernel.activity].begin;
    }
    return kernel.set != profile::kNone ? facts_.counter_sets[kernel.set].time
                                        : INT64_MAX;
  }

  // Returns the k-th of the `count` counted kernels with a name.
  CountedKernel Kernel(std::string_view name, const OfName* of_name,
                       size_t count, size_t k) const {
    CountedKernel kernel;
    kernel.name = name;
    if (of_name == nullptr) return kernel;
    if (of_name->activities.size() == count) {
      kernel.activity = of_name->activities[k];
      kernel.op = attribution_.links[kernel.activity].op;
    }
    if (kernel.op == profile::kNone && of_name->launches.size() == count) {
      const Interval& launch = facts_.launches[of_name->launches[k]];
      kernel.op = open_.At(launch.thread, launch.begin);
    }
    return kernel;
  }

  void AddSets() {
    for (uint32_t s = 0; s < facts_.counter_sets.size(); ++s) {
      const profile::StringId name =
          NameOfObject(facts_, facts_.counter_sets[s]);
      if (name == profile::kNone) {
        ++result_.sets_without_kernel;
        continue;
      }
      names_[facts_.names.Get(name)].sets.push_back(s);
    }
    for (auto& [name, of_name] : names_) {
      const size_t count = of_name.sets.size();
      for (size_t k = 0; k < count; ++k) {
        CountedKernel kernel = Kernel(name, &of_name, count, k);
        kernel.set = of_name.sets[k];
        result_.sets_without_kernel +=
            kernel.activity == profile::kNone && kernel.op == profile::kNone;
        result_.kernels.push_back(std::move(kernel));
      }
    }
  }

  void AddFile(uint32_t f, const loaders::CounterFile& file) {
    std::map<std::string_view, std::vector<uint32_t>> rows;
    for (uint32_t r = 0; r < file.kernels.size(); ++r) {
      rows[file.kernels[r].name].push_back(r);
    }
    for (const auto& [name, of_file] : rows) {
      const auto it = names_.find(name);
      const OfName* of_name = it == names_.end() ? nullptr : &it->second;
      for (size_t k = 0; k < of_file.size(); ++k) {
        CountedKernel kernel = Kernel(name, of_name, of_file.size(), k);
        kernel.file = f;
        kernel.row = of_file[k];
        result_.rows_without_kernel +=
            kernel.activity == profile::kNone && kernel.op == profile::kNone;
        result_.kernels.push_back(std::move(kernel));
      }
    }
  }

  const TraceFacts& facts_;
  const Attribution& attribution_;
  const OpenOps open_;
  std::map<std::string_view, OfName> names_;
  CountedKernels result_;
};

}  // namespace

profile::StringId NameOfObject(const TraceFacts& facts, const CounterSet& set) {
  if (set.name != profile::kNone) return set.name;
  const auto it = facts.object_names.find({set.process, set.object});
  return it == facts.object_names.end() ? profile::kNone : it->second;
}

CountedKernels MatchCounters(const TraceFacts& facts,
                             const Attribution& attribution,
                             const std::vector<loaders::CounterFile>& files) {
  if (facts.counter_sets.empty() && files.empty()) return {};
  return Matcher(facts, attribution).Run(files);
}

}  // namespace tfprof::ctf
