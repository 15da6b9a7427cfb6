#include "loaders/rocprof/csv_rows.h"

#include <algorithm>

namespace tfprof::rocprof {

CsvRows::CsvRows(std::string_view bytes) : bytes_(bytes), again_(bytes.size()) {
  if (bytes.starts_with("\xef\xbb\xbf")) at_ = 3;
}

bool CsvRows::Next() {
  while (at_ < bytes_.size() && (bytes_[at_] == '\n' || bytes_[at_] == '\r')) {
    ++at_;
  }
  begin_ = at_;
  if (at_ == bytes_.size()) return false;
  whole_ = ReadRow(/*doubled=*/true);
  if (columns_ == 0) {
    columns_ = cells_.size();
    whole_ = true;
  }
  const size_t length = at_ - begin_;
  if (whole_ || length > again_) return true;
  again_ -= length;
  const size_t end = at_;
  const bool was_cut = cut_;
  at_ = begin_;
  whole_ = ReadRow(/*doubled=*/false);
  if (whole_) return true;
  // The next line may be a good row.
  cut_ = was_cut;
  at_ = std::min(bytes_.find('\n', begin_), end);
  return true;
}

bool CsvRows::ReadRow(bool doubled) {
  cells_.clear();
  ends_.clear();
  buffers_.clear();
  cut_ = false;
  while (true) {
    if (at_ < bytes_.size() && bytes_[at_] == '"') {
      ++at_;
      cells_.push_back(TakeQuoted(doubled));
    } else {
      size_t end = bytes_.find_first_of(",\n", at_);
      end = std::min(end, bytes_.size());
      std::string_view cell = bytes_.substr(at_, end - at_);
      at_ = end;
      if (cell.ends_with('\r')) cell.remove_suffix(1);
      cells_.push_back(cell);
    }
    ends_.push_back(at_);
    if (at_ >= bytes_.size() || bytes_[at_] != ',') break;
    ++at_;
  }
  while (cells_.size() > columns_ && columns_ > 0 && cells_.back().empty()) {
    cells_.pop_back();
  }
  return cells_.size() == columns_ && !cut_;
}

std::string_view CsvRows::TakeQuoted(bool doubled) {
  const size_t begin = at_;
  std::string* buffer = nullptr;
  size_t copied = begin;  // the bytes before are in the buffer
  while (true) {
    const size_t quote = bytes_.find('"', at_);
    if (quote == bytes_.npos) {
      cut_ = true;
      at_ = bytes_.size();
      return bytes_.substr(begin);
    }
    at_ = quote + 1;
    if (doubled && at_ < bytes_.size() && bytes_[at_] == '"') {
      if (buffer == nullptr) buffer = &buffers_.emplace_back();
      buffer->append(bytes_.substr(copied, at_ - copied));
      copied = ++at_;
      continue;
    }
    if (!IsCellEnd(at_)) continue;
    if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
    if (buffer == nullptr) return bytes_.substr(begin, quote - begin);
    buffer->append(bytes_.substr(copied, quote - copied));
    return *buffer;
  }
}

bool CsvRows::IsCellEnd(size_t at) const {
  if (at >= bytes_.size()) return true;
  const char c = bytes_[at];
  return c == ',' || c == '\n' ||
         (c == '\r' && (at + 1 == bytes_.size() || bytes_[at + 1] == '\n'));
}

}  // namespace tfprof::rocprof
