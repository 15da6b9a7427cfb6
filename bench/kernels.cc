// Benchmarks of the inner loops of loading and views, with Google Benchmark:
//
//   bazel run //bench:kernels -- --benchmark_filter=Intern

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "profile/steps/int_column.h"
#include "profile/tables/string_pool.h"
#include "tables/numbers.h"
#include "util/files/wire.h"
#include "views/name_order.h"

namespace tfprof {
namespace {

// Names as in a model of `size` nodes.
std::vector<std::string> Names(int64_t size) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < size; ++i) {
    // Neighbours in the list are not neighbours in sorted order.
    const int64_t k = i * 7919 % size;
    names.push_back(fmt::format("tower_{}/resnet/unit_{}/bottleneck/Conv2D_{}",
                                k / 1000, k / 10 % 100, k % 10));
  }
  return names;
}

void BM_Intern(benchmark::State& state) {
  const std::vector<std::string> names = Names(state.range(0));
  for (auto _ : state) {
    profile::StringPool pool;
    for (const std::string& name : names) {
      benchmark::DoNotOptimize(pool.Intern(name));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Intern)->Arg(1000)->Arg(100000)->Arg(1000000);

void BM_Find(benchmark::State& state) {
  const std::vector<std::string> names = Names(state.range(0));
  profile::StringPool pool;
  for (const std::string& name : names) pool.Intern(name);
  for (auto _ : state) {
    for (const std::string& name : names) {
      benchmark::DoNotOptimize(pool.Find(name));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Find)->Arg(1000)->Arg(100000)->Arg(1000000);

void BM_SortByName(benchmark::State& state) {
  const std::vector<std::string> names = Names(state.range(0));
  for (auto _ : state) {
    std::vector<views::NamedId> items;
    for (uint32_t i = 0; i < names.size(); ++i) items.push_back({names[i], i});
    views::SortByName(items);
    benchmark::DoNotOptimize(items.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SortByName)->Arg(1000)->Arg(100000);

void BM_WireReader(benchmark::State& state) {
  // The records have four small numbers and a name, like most executions.
  std::string bytes;
  for (int i = 0; i < 10000; ++i) {
    bytes.append("\x0a\x14", 2);
    bytes += "resnet/unit_1/Conv2D";
    bytes.append("\x10\xe8\x07\x18\x01\x20\x0a\x28\x0b", 9);
  }
  for (auto _ : state) {
    uint64_t sum = 0;
    util::WireReader r(bytes);
    while (r.Next()) sum += r.value();
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(bytes.size()));
}
BENCHMARK(BM_WireReader);

void BM_IntColumn(benchmark::State& state) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 100000; ++i) values.push_back(1000000 + i % 5000);
  for (auto _ : state) {
    const profile::IntColumn column(values);
    benchmark::DoNotOptimize(column[values.size() - 1]);
  }
  state.SetItemsProcessed(state.iterations() * 100000);
}
BENCHMARK(BM_IntColumn);

void BM_AppendMicros(benchmark::State& state) {
  std::string out;
  int64_t micros = 0;
  for (auto _ : state) {
    out.clear();
    tables::AppendMicros(out, micros = (micros + 1237) % 3000000);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_AppendMicros);

}  // namespace
}  // namespace tfprof

BENCHMARK_MAIN();
