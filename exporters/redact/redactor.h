// Redactor: which texts of a trace are replaced by what, and how often.
//
//   Redactor redactor;
//   std::optional<std::string> changed = redactor.Text("/home/ann/train.py");
//   // "/home/user1/train.py"
//
// A secret has the same replacement wherever it is, so that a person can still
// see which texts were equal: "user1", "host2", "[token 3]". Replacements are
// ASCII without quotes, commas and backslashes: they need no escapes in any
// format. No replacement is a secret, so a redacted trace stays as it is when
// it is redacted again.
//
// Use one thread.

#ifndef TFPROF_EXPORTERS_REDACT_REDACTOR_H_
#define TFPROF_EXPORTERS_REDACT_REDACTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tfprof::exporters {

// What a trace may give away.
enum class PrivateKind : uint8_t {
  kToken,
  kPrivateKey,
  kPassword,
  kVariable,     // the value of an environment variable
  kCommandLine,  // of the recorded program
  kHost,
  kEmail,
  kUser,
  kName,  // of an operation, if asked
};
inline constexpr size_t kNumPrivateKinds = 9;

// "token", "environment variable".
std::string_view PrivateKindName(PrivateKind kind);
// "3 tokens", "1 e-mail address".
std::string CountOf(PrivateKind kind, int64_t count);

// What a field of a file holds by its meaning.
enum class FieldMeaning : uint8_t {
  kText,       // anything
  kVariable,   // the value of an environment variable
  kVariables,  // "NAME=value"
  kCommandLine,
  kHost,
  kSecret,  // the value of a field such as "api_key"
};

class Redactor {
 public:
  // The occurrences of a kind.
  struct Found {
    int64_t count = 0;
    std::string example;  // masked; "" if there is none
  };

  // Returns the text to write instead; nullopt: it stays.
  std::optional<std::string> Text(std::string_view text) {
    return Field(FieldMeaning::kText, text);
  }
  std::optional<std::string> Field(FieldMeaning meaning, std::string_view text);
  // Returns the name instead of the name of an operation of this type:
  // "annotation7".
  std::string Name(std::string_view type, std::string_view name);

  const Found& found(PrivateKind kind) const {
    return found_[static_cast<size_t>(kind)];
  }
  int64_t total() const;
  // Begins to count again. Replacements stay, and names of hosts that were in
  // their field are now replaced in all texts.
  void CountAgain();

 private:
  // The replacement of `text`: `word` and its number.
  const std::string& Numbered(std::string_view word, std::string_view text);
  std::string Bracketed(std::string_view word, std::string_view text);
  void Count(PrivateKind kind, std::string_view text);
  std::string Host(std::string_view text);
  std::optional<std::string> PlainText(std::string_view text);
  // Replaces the hosts that are known.
  bool ReplaceHosts(std::string& text);

  std::array<Found, kNumPrivateKinds> found_;
  // By word, and by word and text.
  absl::flat_hash_map<std::string, int64_t> numbers_;
  absl::flat_hash_map<std::string, std::string> replacements_;
  // Hosts that are long enough to be searched, with their replacements; the
  // longest first, because it may begin with another one.
  std::vector<std::pair<std::string, std::string>> hosts_;
  bool knows_hosts_ = false;
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_REDACTOR_H_
