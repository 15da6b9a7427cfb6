#include "util/text/secrets.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "re2/re2.h"
#include "re2/stringpiece.h"

namespace tfprof::util {
namespace {

// The first group of a pattern is what must not be shown.
struct Pattern {
  std::string_view name;
  SecretKind kind;
  const char* regex;
  // Whether a match is no false alarm; nullptr: it never is.
  bool (*is_secret)(std::string_view found) = nullptr;
};

// "sk-learn-pipeline-of-my-model" has no digits.
bool HasDigits(std::string_view found) {
  return std::count_if(found.begin(), found.end(), [](unsigned char c) {
           return std::isdigit(c) != 0;
         }) >= 2;
}

// "memcpy@libc.so" and "f@kernel.cu" are symbols, "git@github.com" is no
// person.
bool IsAddress(std::string_view found) {
  constexpr std::string_view kEndings[] = {".so",  ".py",  ".cc",   ".cu",
                                           ".cpp", ".dll", ".exe",  ".json",
                                           ".pb",  ".hip", ".local"};
  for (const std::string_view ending : kEndings) {
    if (found.ends_with(ending)) return false;
  }
  return !found.starts_with("git@");
}

// Folders beside those of users.
bool IsUser(std::string_view found) {
  return found != "Shared" && found != "Public" && found != "Default" &&
         found != "." && found != "..";
}

// The homes of users: what comes before them, and the first group, their root.
// Homes are also below the mount points of clusters. On Windows a separator is
// one backslash, or two in a text that was quoted. Then, in a group, the name
// of the user.
constexpr char kHome[] =
    R"re((?:^|[^A-Za-z0-9_.~\-])((?:/(?:usr|nfs|mnt|export|data|gpfs|)re"
    R"re(lustre|scratch|private))?/+(?:home|Users)/+|)re"
    R"re([A-Za-z]:[\\/]+(?i:Users)[\\/]+))re"
    R"re(([^/\\\s"'`:;,<>|*?()\[\]{}\x00-\x1f]+))re";

constexpr Pattern kPatterns[] = {
    {"token of Hugging Face", SecretKind::kToken,
     R"re(\b(hf_[A-Za-z0-9]{30,}))re"},
    {"token of GitHub", SecretKind::kToken,
     R"re(\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}))re"},
    {"token of GitLab", SecretKind::kToken,
     R"re(\b(glpat-[A-Za-z0-9_\-]{20,}))re"},
    {"key of an AI service", SecretKind::kToken,
     R"re(\b(sk-[A-Za-z0-9_\-]{20,}))re", HasDigits},
    {"access key of AWS", SecretKind::kToken,
     R"re(\b((?:AKIA|ASIA)[A-Z0-9]{16})\b)re"},
    {"key of Google", SecretKind::kToken, R"re(\b(AIza[A-Za-z0-9_\-]{35}))re"},
    {"token of Slack", SecretKind::kToken,
     R"re(\b(xox[abeoprs]-[A-Za-z0-9\-]{10,}))re", HasDigits},
    {"token of PyPI", SecretKind::kToken,
     R"re(\b(pypi-[A-Za-z0-9_\-]{50,}))re"},
    {"JSON web token", SecretKind::kToken,
     R"re(\b(eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,})re"
     R"re((?:\.[A-Za-z0-9_\-]*)?))re"},
    {"bearer token", SecretKind::kToken,
     R"re(\b(?i:Bearer)\s+([A-Za-z0-9._~+/\-]{16,}=*))re", HasDigits},
    {"private key", SecretKind::kPrivateKey,
     R"re((-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?))re"
     R"re((?:-----END [A-Z ]*PRIVATE KEY-----|\z)))re"},
    {"password in an address", SecretKind::kPassword,
     R"re(\b[A-Za-z][A-Za-z0-9+.\-]*://([^/\s:@"\[\]]*:[^/\s@"\[\]]+)@)re"},
    {"value of a secret variable", SecretKind::kPassword,
     R"re((?i)(?:\b|_|-)(?:token|secret|passw(?:or)?d|api_?key|access_?key|)re"
     R"re(private_?key|credentials?)["']?\s*[=:]\s*["']?)re"
     R"re(([^\s"',;&()\[\]{}<>]{8,}))re",
     LooksSecret},
    {"e-mail address", SecretKind::kEmail,
     R"re(\b([A-Za-z0-9._%+\-]+@(?:[A-Za-z0-9\-]+\.)+[A-Za-z]{2,})\b)re",
     IsAddress},
};

// The patterns, ready to search. Bytes are characters, so that a name in any
// encoding matches.
struct Compiled {
  Compiled() {
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1);
    options.set_max_mem(int64_t{64} << 20);
    std::string tokens;
    std::string all = kHome;
    for (const Pattern& pattern : kPatterns) {
      each.push_back(std::make_unique<RE2>(pattern.regex, options));
      const std::string part = std::string("(?:") + pattern.regex + ")";
      all += "|" + part;
      if (IsToken(pattern)) tokens += (tokens.empty() ? "" : "|") + part;
    }
    home = std::make_unique<RE2>(kHome, options);
    any = std::make_unique<RE2>(all, options);
    any_token = std::make_unique<RE2>(tokens, options);
  }

  static bool IsToken(const Pattern& pattern) {
    return pattern.kind == SecretKind::kToken ||
           pattern.kind == SecretKind::kPrivateKey;
  }

  std::vector<std::unique_ptr<RE2>> each;  // as kPatterns
  std::unique_ptr<RE2> home;               // groups: the root, the user
  std::unique_ptr<RE2> any;                // whether there is anything at all
  std::unique_ptr<RE2> any_token;
};

const Compiled& Patterns() {
  static const Compiled& compiled = *new Compiled;
  return compiled;
}

bool Has(const RE2& regex, std::string_view text) {
  return regex.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                     RE2::UNANCHORED, nullptr, 0);
}

// Calls f(begin, size) for group `group` of each match.
template <typename F>
void VisitMatches(const RE2& regex, int group, std::string_view text, F f) {
  const re2::StringPiece all(text.data(), text.size());
  re2::StringPiece groups[3];
  for (size_t at = 0; at < text.size();) {
    if (!regex.Match(all, at, all.size(), RE2::UNANCHORED, groups, group + 1)) {
      return;
    }
    const re2::StringPiece found = groups[group];
    const auto begin = static_cast<size_t>(found.data() - text.data());
    f(begin, found.size());
    at = std::max(begin + found.size(), at + 1);
  }
}

void AddMatches(size_t pattern, std::string_view text,
                std::vector<Secret>& secrets) {
  const Pattern& row = kPatterns[pattern];
  VisitMatches(*Patterns().each[pattern], 1, text,
               [&](size_t begin, size_t size) {
                 if (row.is_secret == nullptr ||
                     row.is_secret(text.substr(begin, size))) {
                   secrets.push_back({row.name, row.kind, begin, size});
                 }
               });
}

// Sorts them. Those that overlap become one, of the kind of the first, so that
// no part of the others stays.
void KeepApart(std::vector<Secret>& secrets) {
  std::sort(secrets.begin(), secrets.end(),
            [](const Secret& a, const Secret& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.size > b.size;
            });
  size_t kept = 0, end = 0;
  for (const Secret& secret : secrets) {
    const size_t begin = secret.begin;
    if (begin < end) {
      Secret& first = secrets[kept - 1];
      end = std::max(end, begin + secret.size);
      first.size = end - first.begin;
      continue;
    }
    end = begin + secret.size;
    secrets[kept++] = secret;
  }
  secrets.resize(kept);
}

}  // namespace

std::vector<Secret> FindSecrets(std::string_view text) {
  std::vector<Secret> secrets;
  if (text.size() < 5 || !Has(*Patterns().any, text)) return secrets;
  for (size_t p = 0; p < std::size(kPatterns); ++p) {
    AddMatches(p, text, secrets);
  }
  VisitMatches(*Patterns().home, 2, text, [&](size_t begin, size_t size) {
    if (IsUser(text.substr(begin, size))) {
      secrets.push_back({"user name", SecretKind::kUser, begin, size});
    }
  });
  KeepApart(secrets);
  return secrets;
}

std::vector<Secret> FindTokens(std::string_view bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  // Longer than a private key.
  constexpr size_t kOverlap = size_t{1} << 14;
  std::vector<Secret> secrets;
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::string_view piece = bytes.substr(at, kPiece + kOverlap);
    if (!Has(*Patterns().any_token, piece)) continue;
    std::vector<Secret> found;
    for (size_t p = 0; p < std::size(kPatterns); ++p) {
      if (Compiled::IsToken(kPatterns[p])) AddMatches(p, piece, found);
    }
    for (Secret& secret : found) {
      if (secret.begin >= kPiece) continue;
      secret.begin += at;
      secrets.push_back(secret);
    }
  }
  KeepApart(secrets);
  return secrets;
}

bool IsSecretName(std::string_view name) {
  static const RE2& regex =
      *new RE2(R"re((?i)(?:^|[_\-.])(?:token|secret|passw(?:or)?d|api_?key|)re"
               R"re((?:secret_)?access_?key|private_?key|credentials?)$)re",
               RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), regex);
}

bool LooksSecret(std::string_view value) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return value.size() >= 8 &&
         std::any_of(value.begin(), value.end(), is_letter) &&
         std::any_of(value.begin(), value.end(), is_digit);
}

std::string MaskedSecret(std::string_view secret) {
  // Less than half of a short one.
  const size_t shown = std::min<size_t>(4, secret.size() / 3);
  std::string masked(secret.substr(0, shown));
  // A character of several bytes is not cut.
  while (!masked.empty() && (masked.back() & 0x80) != 0) masked.pop_back();
  return masked + "…";
}

size_t ReplaceName(std::string_view name, std::string_view replacement,
                   std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           c == '-';
  };
  size_t count = 0;
  for (size_t at = text.find(name); at != text.npos && !name.empty();
       at = text.find(name, at)) {
    const size_t end = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) ||
        (end < text.size() && is_word(text[end]))) {
      at = end;
      continue;
    }
    text.replace(at, name.size(), replacement);
    at += replacement.size();
    ++count;
  }
  return count;
}

std::optional<std::string> HideHomes(std::string_view text) {
  // Every home has one of these, which is found ten times as fast.
  if (text.find("home") == text.npos && text.find("sers") == text.npos &&
      text.find("SERS") == text.npos) {
    return std::nullopt;
  }
  std::string made;
  size_t copied = 0;
  const re2::StringPiece all(text.data(), text.size());
  re2::StringPiece groups[3];
  for (size_t at = 0; at < text.size();) {
    if (!Patterns().home->Match(all, at, all.size(), RE2::UNANCHORED, groups,
                                3)) {
      break;
    }
    const auto begin = static_cast<size_t>(groups[1].data() - text.data());
    const auto user = static_cast<size_t>(groups[2].data() - text.data());
    at = user + groups[2].size();
    if (!IsUser(text.substr(user, groups[2].size()))) continue;
    made.append(text, copied, begin - copied).append("~");
    copied = at;
  }
  if (copied == 0) return std::nullopt;
  return made.append(text, copied);
}

}  // namespace tfprof::util
