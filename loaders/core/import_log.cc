#include "loaders/core/import_log.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "util/text/safe_text.h"

namespace tfprof::loaders {

ImportLog::Entry& ImportLog::Find(Severity severity, std::string_view kind) {
  for (Entry& entry : entries_) {
    if (entry.kind == kind) return entry;
  }
  entries_.push_back({severity, std::string(kind), 0, {}});
  return entries_.back();
}

bool ImportLog::WantsText(std::string_view kind) const {
  for (const Entry& entry : entries_) {
    if (entry.kind == kind) return entry.texts.size() < kMaxTexts;
  }
  return true;
}

void ImportLog::Add(Severity severity, std::string_view kind,
                    const std::string& text, int64_t count) {
  Entry& entry = Find(severity, kind);
  entry.count += count;
  if (entry.texts.size() >= size_t{kMaxTexts}) return;
  entry.told += count;
  // Without this, a name with a newline could fake a line of the log.
  entry.texts.push_back(util::SafeText(text));
}

void ImportLog::Count(Severity severity, std::string_view kind, int64_t count) {
  if (count > 0) Find(severity, kind).count += count;
}

void ImportLog::Append(const ImportLog& other) {
  for (const Entry& theirs : other.entries_) {
    Entry& ours = Find(theirs.severity, theirs.kind);
    ours.count += theirs.count;
    // Usually each text is about one.
    const size_t kept =
        std::min(theirs.texts.size(), size_t{kMaxTexts} - ours.texts.size());
    if (kept > 0) {
      ours.told += kept == theirs.texts.size() ? theirs.told
                                               : static_cast<int64_t>(kept);
    }
    ours.texts.insert(ours.texts.end(), theirs.texts.begin(),
                      theirs.texts.begin() + static_cast<ptrdiff_t>(kept));
  }
}

bool ImportLog::damaged() const {
  for (const Entry& entry : entries_) {
    if (entry.severity == kDamage) return true;
  }
  return false;
}

std::vector<std::string> ImportLog::Lines() const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    lines.insert(lines.end(), entry.texts.begin(), entry.texts.end());
    const int64_t more = entry.count - entry.told;
    // Only `status` shows notices without a text.
    if (more > 0 && (entry.severity == kDamage || !entry.texts.empty())) {
      lines.push_back(fmt::format("… and {} more: {}", more, entry.kind));
    }
  }
  return lines;
}

}  // namespace tfprof::loaders
