// Finds what a text gives away about people and their accounts: tokens, private
// keys, passwords, e-mail addresses, and the names of users in paths.
//
//   for (const Secret& secret : FindSecrets(text)) {
//     … text.substr(secret.begin, secret.size) …
//   }
//
// One table of patterns (secrets.cc) says what a token looks like. Patterns ask
// for the well-known beginning of a token and enough random characters, so that
// names of kernels, hashes and versions are not taken for one. A secret without
// a known form, such as a password in a sentence, is not found.
//
// Texts may have any bytes. Time is linear in the text. The functions keep no
// state and may run on any thread.

#ifndef TFPROF_UTIL_TEXT_SECRETS_H_
#define TFPROF_UTIL_TEXT_SECRETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::util {

enum class SecretKind : uint8_t {
  kToken,
  kPrivateKey,
  kPassword,  // also values that are assigned to a name such as API_KEY
  kEmail,
  kUser,  // the name of a user in the path of the home
};

struct Secret {
  std::string_view name;  // of the pattern: "token of GitHub"
  SecretKind kind = SecretKind::kToken;
  size_t begin = 0;  // in the text
  size_t size = 0;
};

// The secrets of a text, in order; they do not overlap.
std::vector<Secret> FindSecrets(std::string_view text);

// The same for a file of any size and kind, without its structure: only tokens
// and private keys, and with a memory that does not depend on the size.
std::vector<Secret> FindTokens(std::string_view bytes);

// Whether a variable or a field of this name usually holds a secret:
// "HF_TOKEN", "aws_secret_access_key".
bool IsSecretName(std::string_view name);

// Whether a value looks random enough for a secret: eight characters or more,
// with letters and digits.
bool LooksSecret(std::string_view value);

// A secret to show: its first characters, "hf_A…".
std::string MaskedSecret(std::string_view secret);

// Replaces a name in a text where it is a whole word: "n1" in "n1:29500", not
// in "n12" or "n1-b". Returns how often.
size_t ReplaceName(std::string_view name, std::string_view replacement,
                   std::string& text);

// Returns the text with "~" instead of the home of each user: "/home/ann/a.py"
// becomes "~/a.py". nullopt: it has none.
std::optional<std::string> HideHomes(std::string_view text);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_SECRETS_H_
