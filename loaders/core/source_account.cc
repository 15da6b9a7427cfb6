#include "loaders/core/source_account.h"

#include <sys/stat.h>

#include <memory>

#include "loaders/core/byte_notes.h"
#include "loaders/core/format.h"
#include "loaders/core/input_file.h"

namespace tfprof::loaders {

std::optional<SourceAccount> AccountOf(const Loaded::Source& source,
                                       const util::Cancellation* cancellation) {
  if (source.row == nullptr) return std::nullopt;
  const auto account_of =
      source.text ? source.row->account_text : source.row->account;
  if (account_of == nullptr && source.row->account_all == nullptr) {
    return std::nullopt;
  }
  struct stat info = {};
  const bool is_file =
      stat(source.path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  std::shared_ptr<const InputFile> file = source.file.lock();
  if (file == nullptr) {
    // What a pipe had is gone.
    if (!is_file) return std::nullopt;
    auto opened = InputFile::Open(source.path, {}, cancellation);
    if (!opened.ok()) return std::nullopt;
    file = *std::move(opened);
  }
  SourceAccount account;
  if (account_of == nullptr) {
    account = source.row->account_all(*file, cancellation);
    if (util::IsCancelled(cancellation)) return std::nullopt;
    return account;
  }
  account.bytes = static_cast<int64_t>(file->bytes().size());
  if (is_file && info.st_size != account.bytes) {
    account.packed_bytes = info.st_size;
  }
  if (source.left_out) {
    ByteNotes notes;
    notes.Note(*source.left_out, 0, file->bytes().size());
    account.account = notes.Account(file->bytes());
  } else {
    account.account = account_of(*file, cancellation);
  }
  if (util::IsCancelled(cancellation)) return std::nullopt;
  return account;
}

}  // namespace tfprof::loaders
