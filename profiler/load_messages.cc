#include "profiler/load_messages.h"

#include <cstddef>
#include <string>

#include "fmt/format.h"

namespace tfprof {

void TellImportLog(const ImportLog& log, Ui& ui) {
  for (const std::string& line : log.Lines()) ui.Error(line + "\n");
}

void TellLoading(const Loaded& loaded, Ui& ui) {
  // Of many files the first and the last say enough.
  constexpr size_t kMaxLines = 8;
  const size_t files = loaded.coverage.size();
  for (size_t i = 0; i < files; ++i) {
    if (files > kMaxLines && i >= kMaxLines / 2 && i + kMaxLines / 2 < files) {
      if (i == kMaxLines / 2) ui.Error("…\n");
      continue;
    }
    ui.Error(fmt::format("run graph coverage: {:.2f}\n", loaded.coverage[i]));
  }
  TellImportLog(loaded.log, ui);
}

}  // namespace tfprof
