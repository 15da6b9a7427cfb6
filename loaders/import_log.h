// ImportLog: what the user should know about a load, as data.
//
// Every record that is dropped, repaired or skipped is counted here, by kind;
// the first few texts of a kind are kept, so that a file with a million
// damaged records costs a counter and not a million lines. Nothing is printed:
// the program shows Lines() on stderr after loading and the log in `status`.
//
// Damage (a record that could not be read) makes the exit status of the program
// 1 although what could be read is kept and shown. A notice is not damage: the
// reference says the same, or does the same silently and correctly.

#ifndef TFPROF_LOADERS_IMPORT_LOG_H_
#define TFPROF_LOADERS_IMPORT_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

class ImportLog {
 public:
  enum Severity { kNotice, kDamage };

  struct Entry {
    Severity severity = kNotice;
    std::string kind;                // "node without a start time"
    int64_t count = 0;               // how often
    std::vector<std::string> texts;  // of the first kMaxTexts
  };

  static constexpr int kMaxTexts = 8;

  // True while texts of this kind are still kept. If not, a caller need not
  // format them.
  bool WantsText(std::string_view kind) const;
  // `text` is one complete line, without its newline.
  void Add(Severity severity, std::string_view kind, std::string text);
  // Counts without a text.
  void Count(Severity severity, std::string_view kind, int64_t count);

  // Adds what `other` has, behind what is here.
  void Append(const ImportLog& other);

  // In the order in which the kinds first came.
  const std::vector<Entry>& entries() const { return entries_; }
  bool damaged() const;

  // The log as lines for a person: the texts kept, and after those of a kind
  // how many more there are.
  std::vector<std::string> Lines() const;

 private:
  Entry& Find(Severity severity, std::string_view kind);

  std::vector<Entry> entries_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_IMPORT_LOG_H_
