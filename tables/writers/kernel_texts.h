// The texts that people see for the signatures of kernels in a table
// (kernel_names.h). Different kernels of a table stay different. Columns of
// sentences are left alone.

#ifndef TFPROF_TABLES_WRITERS_KERNEL_TEXTS_H_
#define TFPROF_TABLES_WRITERS_KERNEL_TEXTS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tables/data_table.h"

namespace tfprof::tables {

class KernelTexts {
 public:
  KernelTexts() = default;
  // Reads the first `rows` rows.
  KernelTexts(const DataTable& table, size_t rows);

  // Returns the text to show for a cell: `text` itself if it is no signature.
  std::string_view Shown(std::string_view text) const {
    const auto found = shown_.find(text);
    return found == shown_.end() ? text : found->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> shown_;
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_KERNEL_TEXTS_H_
