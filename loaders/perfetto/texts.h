// Texts: the texts that a sequence of packets has sent by number.
//
// A packet names a text by its number in a table, which the packets before it
// of the same sequence have sent (InternedData). A sequence begins again with
// empty tables when it says so; then it gets a new Texts, and the old one stays
// for the packets that were read with it. Views are into the bytes of the
// trace. The memory is in proportion to the number of texts in the trace.
//
// Source: perfetto/trace/interned_data/interned_data.proto

#ifndef TFPROF_LOADERS_PERFETTO_TEXTS_H_
#define TFPROF_LOADERS_PERFETTO_TEXTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tfprof::perfetto {

// What the texts of a table are.
enum class TextTable : uint8_t {
  kCategories,
  kNames,
  kKeys,            // of annotations
  kSpecifications,  // of queues and stages of GPUs
  kValues,          // of annotations
  kKernels,
  // The deprecated names of queues and stages of GPUs, by position.
  kQueues,
  kStages,
};
inline constexpr size_t kNumTextTables = 8;

// Returns the table with this field number in InternedData, if it is read.
std::optional<TextTable> TableOfField(uint32_t field);

class Texts {
 public:
  void Set(TextTable table, uint64_t id, std::string_view text);
  void Clear(TextTable table);
  // Returns nullptr if it was never sent.
  const std::string_view* Find(TextTable table, uint64_t id) const {
    const std::unique_ptr<Table>& of = tables_[static_cast<size_t>(table)];
    if (of == nullptr) return nullptr;
    if (id < of->dense.size() && of->dense[id].data() != nullptr) {
      return &of->dense[id];
    }
    return FindSparse(*of, id);
  }
  bool empty() const { return empty_; }

 private:
  struct Table {
    // Numbers count from 1 in most traces. A text without data was not sent.
    std::vector<std::string_view> dense;
    absl::flat_hash_map<uint64_t, std::string_view> sparse;
  };

  static const std::string_view* FindSparse(const Table& table, uint64_t id);

  std::array<std::unique_ptr<Table>, kNumTextTables> tables_;
  bool empty_ = true;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TEXTS_H_
