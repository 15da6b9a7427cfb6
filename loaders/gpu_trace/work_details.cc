#include "loaders/gpu_trace/work_details.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof::gpu_trace {
namespace {

// As in the names that CUPTI's users give to copies.
std::string_view NameOf(MemoryKind kind) {
  constexpr std::string_view kNames[] = {"", "Pageable", "Pinned", "Device"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

WorkDetails::WorkDetails(GpuTrace& trace, const profile::StringPool& strings)
    : texts_(std::move(trace.texts)), num_host_(trace.host.size()) {
  absl::flat_hash_map<profile::StringId, uint32_t> numbers;
  const auto add = [&](profile::StringId id) {
    const auto [it, is_new] = numbers.try_emplace(id);
    if (is_new) it->second = texts_.Add(strings.Get(id));
    text_.push_back(it->second);
  };
  text_.reserve(trace.host.size() + trace.work.size() + trace.samples.size());
  bytes_.reserve(trace.work.size());
  copies_.reserve(trace.work.size());
  memory_.reserve(trace.work.size());
  for (const HostEvent& event : trace.host) {
    if (event.has_own_text) {
      text_.push_back(event.text);
    } else {
      add(event.text);
    }
  }
  for (const Work& work : trace.work) {
    add(work.name);
    bytes_.push_back(work.bytes);
    copies_.push_back(work.copy);
    memory_.emplace_back(work.from, work.to);
  }
  for (const CpuSample& sample : trace.samples) add(sample.op);
}

profile::RecordText WorkDetails::Text(uint64_t offset) const {
  if (offset >= text_.size()) return {};
  return {.name = texts_[text_[offset]]};
}

profile::Transfer WorkDetails::TransferOf(uint64_t offset) const {
  if (offset < num_host_ || offset - num_host_ >= bytes_.size()) return {};
  const uint64_t work = offset - num_host_;
  return {.kind = copies_[work],
          .bytes = bytes_[work],
          .from = NameOf(memory_[work].first),
          .to = NameOf(memory_[work].second)};
}

}  // namespace tfprof::gpu_trace
