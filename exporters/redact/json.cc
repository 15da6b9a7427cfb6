#include "exporters/redact/json.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "exporters/redact/event_names.h"
#include "fmt/format.h"
#include "util/json/json_reader.h"
#include "util/json/json_string.h"
#include "util/text/secrets.h"

namespace tfprof::exporters {
namespace {

struct Meaning {
  std::string_view key;  // in lower case, without '_' and '-'
  FieldMeaning meaning;
};
constexpr Meaning kMeanings[] = {
    {"env", FieldMeaning::kVariable},
    {"environ", FieldMeaning::kVariable},
    {"environment", FieldMeaning::kVariable},
    {"environmentvariables", FieldMeaning::kVariable},
    {"envvars", FieldMeaning::kVariable},
    {"argv", FieldMeaning::kCommandLine},
    {"cmdline", FieldMeaning::kCommandLine},
    {"command", FieldMeaning::kCommandLine},
    {"commandline", FieldMeaning::kCommandLine},
    {"fqdn", FieldMeaning::kHost},
    {"host", FieldMeaning::kHost},
    {"hostname", FieldMeaning::kHost},
    {"hostnames", FieldMeaning::kHost},
    {"hosts", FieldMeaning::kHost},
    {"machinename", FieldMeaning::kHost},
    {"nodename", FieldMeaning::kHost},
};

FieldMeaning MeaningOf(std::string_view key) {
  // Nearly all keys are longer, or of other words.
  std::string plain;
  for (const char c : key) {
    if (c != '_' && c != '-' && c != ' ') plain += absl::ascii_tolower(c);
  }
  for (const Meaning& row : kMeanings) {
    if (plain == row.key) return row.meaning;
  }
  return util::IsSecretName(key) ? FieldMeaning::kSecret : FieldMeaning::kText;
}

class JsonWalk {
 public:
  JsonWalk(std::string_view bytes, bool names, Redactor& redactor,
           const util::Cancellation* cancellation)
      : bytes_(bytes),
        names_(names),
        redactor_(redactor),
        cancellation_(cancellation),
        reader_(bytes) {}

  absl::StatusOr<std::vector<Edit>> Run() {
    Value(FieldMeaning::kText);
    while (!open_.empty() && !reader_.damaged()) {
      if (util::IsCancelled(cancellation_)) {
        return absl::CancelledError("cancelled");
      }
      if (open_.back().is_object) {
        Member();
      } else if (reader_.NextElement()) {
        Value(open_.back().meaning);
      } else {
        open_.pop_back();
      }
    }
    if (reader_.damaged() || !reader_.AtEnd()) {
      return absl::InvalidArgumentError(
          reader_.damaged()
              ? reader_.Describe()
              : fmt::format("byte {}: expected the end of the file",
                            reader_.offset()));
    }
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    return std::move(edits_);
  }

 private:
  struct Open {
    bool is_object = false;
    FieldMeaning meaning = FieldMeaning::kText;  // of the strings in it
    bool is_event = false;                       // of a trace
    // Of an event, without quotes.
    std::optional<std::string_view> name;
    std::string_view category;
  };

  // Takes the next member, or the end of the object.
  void Member() {
    std::string_view key;
    if (!reader_.NextMember(key)) {
      const Open closed = open_.back();
      open_.pop_back();
      if (closed.name) Name(*closed.name, closed.category);
      return;
    }
    String(FieldMeaning::kText, key);
    std::string buffer;
    const std::string_view decoded = util::DecodeJsonString(key, buffer);
    Open& object = open_.back();
    if (object.is_event && reader_.Peek() == util::JsonReader::Kind::kString) {
      if (decoded == "name") {
        std::string_view raw;
        reader_.ReadString(raw);
        object.name = raw;
        return;
      }
      if (decoded == "cat") {
        reader_.ReadString(object.category);
        return;
      }
    }
    if (names_ && decoded == "Call stack" &&
        reader_.Peek() == util::JsonReader::Kind::kString) {
      std::string_view raw;
      if (reader_.ReadString(raw)) CallStack(raw);
      return;
    }
    Value(object.meaning == FieldMeaning::kText ? MeaningOf(decoded)
                                                : object.meaning);
  }

  void Value(FieldMeaning meaning) {
    using Kind = util::JsonReader::Kind;
    switch (reader_.Peek()) {
      case Kind::kObject: {
        // The events of a trace are in the array at the top, or in a member of
        // the object at the top.
        const bool is_event = names_ && !open_.empty() &&
                              !open_.back().is_object &&
                              (open_.size() == 1 || open_.size() == 2);
        reader_.EnterObject();
        open_.push_back({.is_object = true,
                         .meaning = meaning == FieldMeaning::kVariable
                                        ? meaning
                                        : FieldMeaning::kText,
                         .is_event = is_event});
        break;
      }
      case Kind::kArray:
        reader_.EnterArray();
        open_.push_back({.meaning = meaning == FieldMeaning::kVariable
                                        ? FieldMeaning::kVariables
                                        : meaning});
        break;
      case Kind::kString: {
        std::string_view raw;
        if (reader_.ReadString(raw)) String(meaning, raw);
        break;
      }
      default:
        reader_.Skip();
    }
  }

  void String(FieldMeaning meaning, std::string_view raw) {
    std::string buffer;
    const std::string_view text = util::DecodeJsonString(raw, buffer);
    const std::optional<std::string> changed = redactor_.Field(meaning, text);
    if (changed) Replace(raw, *changed);
  }

  void Replace(std::string_view raw, const std::string& text) {
    Edit edit = {.begin = static_cast<size_t>(raw.data() - bytes_.data()),
                 .size = raw.size(),
                 .text = text};
    // What had no escapes needs none now.
    if (raw.find('\\') != raw.npos) {
      const std::string quoted = util::JsonString(text);
      edit.text = quoted.substr(1, quoted.size() - 2);
    }
    edits_.push_back(std::move(edit));
  }

  void CallStack(std::string_view raw) {
    std::string buffer;
    const std::string_view stack = util::DecodeJsonString(raw, buffer);
    const std::string named = RedactedStack(stack, redactor_);
    // Frames of libraries keep their paths, in which users have names.
    const std::string changed = redactor_.Text(named).value_or(named);
    if (changed != stack) Replace(raw, changed);
  }

  // The name of an event.
  void Name(std::string_view raw, std::string_view category) {
    std::string buffer;
    const std::string_view name = util::DecodeJsonString(raw, buffer);
    const std::string changed = RedactedName(category, name, redactor_);
    if (changed == name) {
      String(FieldMeaning::kText, raw);
    } else {
      Replace(raw, changed);
    }
  }

  const std::string_view bytes_;
  const bool names_;
  Redactor& redactor_;
  const util::Cancellation* cancellation_;
  util::JsonReader reader_;
  std::vector<Open> open_;
  std::vector<Edit> edits_;
};

}  // namespace

absl::StatusOr<std::vector<Edit>> RedactJson(
    std::string_view bytes, bool names, Redactor& redactor,
    const util::Cancellation* cancellation) {
  return JsonWalk(bytes, names, redactor, cancellation).Run();
}

}  // namespace tfprof::exporters
