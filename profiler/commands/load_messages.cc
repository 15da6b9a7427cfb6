#include "profiler/commands/load_messages.h"

#include <cstddef>
#include <string>

#include "fmt/format.h"

namespace tfprof {

void TellImportLog(const ImportLog& log, Ui& ui) {
  for (const ImportLog::Entry& entry : log.entries()) {
    for (const std::string& text : entry.texts) ui.Error(text + "\n");
    const int64_t more = entry.count - static_cast<int64_t>(entry.texts.size());
    if (more > 0 && entry.severity == ImportLog::kDamage) {
      ui.Error(fmt::format("… and {} more: {}\n", more, entry.kind));
    }
  }
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
