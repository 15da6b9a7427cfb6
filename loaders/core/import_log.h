// ImportLog: what the user should know about a load, as data.
//
// Every record that is dropped, repaired or skipped is counted here, by kind.
// The first few texts of a kind are kept, so that a file with a million damaged
// records costs a counter and not a million lines. Nothing is printed: the
// program shows Lines() on stderr after loading, and `status` shows the log.
//
// After damage (a record that could not be read), the exit status of the
// program is 1, although the readable rest is kept and shown. A notice is not
// damage: the reference reports the same, or does the same silently and
// correctly.

#ifndef TFPROF_LOADERS_CORE_IMPORT_LOG_H_
#define TFPROF_LOADERS_CORE_IMPORT_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::loaders {

class ImportLog {
 public:
  enum Severity { kNotice, kDamage };

  struct Entry {
    Severity severity = kNotice;
    std::string kind;                // "node without a start time"
    int64_t count = 0;               // how often
    int64_t told = 0;                // of them, how many the texts are about
    std::vector<std::string> texts;  // the first kMaxTexts
  };

  static constexpr int kMaxTexts = 8;

  // True while texts of this kind are still kept. Otherwise a caller need not
  // format one.
  bool WantsText(std::string_view kind) const;
  // `text` is one complete line, without its newline.
  // It is about `count` of the kind.
  void Add(Severity severity, std::string_view kind, const std::string& text,
           int64_t count = 1);
  // Counts without a text.
  void Count(Severity severity, std::string_view kind, int64_t count);

  // Appends the entries of `other`.
  void Append(const ImportLog& other);

  // The entries, in the order in which their kinds first occurred.
  const std::vector<Entry>& entries() const { return entries_; }
  bool damaged() const;

  // The log as lines for the user: for each kind the texts that were kept, and
  // then how many there are that no text is about.
  std::vector<std::string> Lines() const;

 private:
  Entry& Find(Severity severity, std::string_view kind);

  std::vector<Entry> entries_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_IMPORT_LOG_H_
