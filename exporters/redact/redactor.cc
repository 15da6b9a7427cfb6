#include "exporters/redact/redactor.h"

#include <algorithm>

#include "fmt/format.h"
#include "util/text/secrets.h"

namespace tfprof::exporters {
namespace {

// What stands for a value that nobody needs.
constexpr std::string_view kRemoved = "[removed]";

PrivateKind KindOf(util::SecretKind kind) {
  switch (kind) {
    case util::SecretKind::kToken:
      return PrivateKind::kToken;
    case util::SecretKind::kPrivateKey:
      return PrivateKind::kPrivateKey;
    case util::SecretKind::kPassword:
      return PrivateKind::kPassword;
    case util::SecretKind::kEmail:
      return PrivateKind::kEmail;
    case util::SecretKind::kUser:
      break;
  }
  return PrivateKind::kUser;
}

bool IsReplacement(std::string_view text, std::string_view word) {
  return text.starts_with(word) && text.size() > word.size() &&
         text.find_first_not_of("0123456789", word.size()) == text.npos;
}

// Names that say nothing about a machine, and numbers.
bool IsHostless(std::string_view host) {
  return host.empty() || host == "localhost" || host == "127.0.0.1" ||
         host == "::1" || IsReplacement(host, "host") ||
         host.find_first_not_of("0123456789") == host.npos;
}

// Shorter names are in too many words.
constexpr size_t kLeastSearched = 4;

}  // namespace

std::string_view PrivateKindName(PrivateKind kind) {
  switch (kind) {
    case PrivateKind::kToken:
      return "token";
    case PrivateKind::kPrivateKey:
      return "private key";
    case PrivateKind::kPassword:
      return "password";
    case PrivateKind::kVariable:
      return "environment variable";
    case PrivateKind::kCommandLine:
      return "word of a command line";
    case PrivateKind::kHost:
      return "host name";
    case PrivateKind::kEmail:
      return "e-mail address";
    case PrivateKind::kUser:
      return "user name";
    case PrivateKind::kName:
      break;
  }
  return "name";
}

std::string CountOf(PrivateKind kind, int64_t count) {
  std::string name(PrivateKindName(kind));
  if (count != 1) {
    // The first noun has the plural.
    const size_t end =
        kind == PrivateKind::kCommandLine ? name.find(' ') : name.size();
    name.insert(end, kind == PrivateKind::kEmail ? "es" : "s");
  }
  return fmt::format("{} {}", count, name);
}

int64_t Redactor::total() const {
  int64_t total = 0;
  for (const Found& found : found_) total += found.count;
  return total;
}

void Redactor::CountAgain() {
  found_ = {};
  knows_hosts_ = true;
}

const std::string& Redactor::Numbered(std::string_view word,
                                      std::string_view text) {
  std::string& made = replacements_[fmt::format("{}\n{}", word, text)];
  if (made.empty()) {
    made = fmt::format("{}{}", word, ++numbers_[std::string(word)]);
  }
  return made;
}

std::string Redactor::Bracketed(std::string_view word, std::string_view text) {
  return fmt::format("[{}]", Numbered(fmt::format("{} ", word), text));
}

void Redactor::Count(PrivateKind kind, std::string_view text) {
  Found& found = found_[static_cast<size_t>(kind)];
  if (found.count++ == 0) found.example = util::MaskedSecret(text);
}

std::string Redactor::Host(std::string_view text) {
  Count(PrivateKind::kHost, text);
  std::string made = Numbered("host", text);
  const auto shorter = std::find_if(
      hosts_.begin(), hosts_.end(),
      [&](const auto& host) { return host.first.size() < text.size(); });
  const auto is_same = [&](const auto& host) { return host.first == text; };
  if (text.size() >= kLeastSearched &&
      std::none_of(hosts_.begin(), shorter, is_same)) {
    hosts_.insert(shorter, {std::string(text), made});
  }
  return made;
}

bool Redactor::ReplaceHosts(std::string& text) {
  if (!knows_hosts_) return false;
  bool any = false;
  for (const auto& [host, replacement] : hosts_) {
    for (size_t n = util::ReplaceName(host, replacement, text); n > 0; --n) {
      Count(PrivateKind::kHost, host);
      any = true;
    }
  }
  return any;
}

std::optional<std::string> Redactor::PlainText(std::string_view text) {
  std::string made;
  size_t copied = 0;
  for (const util::Secret& secret : util::FindSecrets(text)) {
    const std::string_view found = text.substr(secret.begin, secret.size);
    const PrivateKind kind = KindOf(secret.kind);
    if (kind == PrivateKind::kUser && IsReplacement(found, "user")) continue;
    Count(kind, found);
    made.append(text, copied, secret.begin - copied);
    made += kind == PrivateKind::kUser
                ? Numbered("user", found)
                : Bracketed(PrivateKindName(kind), found);
    copied = secret.begin + secret.size;
  }
  made.append(text, copied);
  if (!ReplaceHosts(made) && copied == 0) return std::nullopt;
  return made;
}

std::optional<std::string> Redactor::Field(FieldMeaning meaning,
                                           std::string_view text) {
  // What was removed before.
  if (text.empty() || text.ends_with(kRemoved)) return std::nullopt;
  switch (meaning) {
    case FieldMeaning::kText:
      break;
    case FieldMeaning::kVariable:
      Count(PrivateKind::kVariable, text);
      return std::string(kRemoved);
    case FieldMeaning::kVariables: {
      const size_t value = text.find('=') + 1;  // 0: there is none
      if (value == text.size()) return std::nullopt;
      Count(PrivateKind::kVariable, text.substr(value));
      return std::string(text.substr(0, value)).append(kRemoved);
    }
    case FieldMeaning::kCommandLine:
      Count(PrivateKind::kCommandLine, text);
      return std::string(kRemoved);
    case FieldMeaning::kHost:
      if (IsHostless(text)) return std::nullopt;
      return Host(text);
    case FieldMeaning::kSecret:
      if (!util::LooksSecret(text) || text.starts_with('[')) break;
      Count(PrivateKind::kPassword, text);
      return Bracketed(PrivateKindName(PrivateKind::kPassword), text);
  }
  return PlainText(text);
}

std::string Redactor::Name(std::string_view type, std::string_view name) {
  Count(PrivateKind::kName, name);
  return Numbered(type, name);
}

}  // namespace tfprof::exporters
