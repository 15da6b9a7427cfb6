#include "loaders/torch_compile/compile_log.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "re2/re2.h"
#include "util/arithmetic.h"
#include "util/json/json_tree.h"

namespace tfprof::torch_compile {
namespace {

using loaders::ByteNotes;
using profile::CompileLogs;
using util::JsonTree;
using util::JsonValue;

// How far a log may begin with other lines.
constexpr size_t kMaxSniffed = 64 << 10;

// Takes the first line, without its end, off `rest`.
std::string_view TakeLogLine(std::string_view& rest) {
  std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns whether the next line belongs to the payload of the record before it.
// Empty lines have no tab.
bool PayloadGoesOn(std::string_view rest) {
  const size_t next = rest.find_first_not_of("\r\n");
  return next != rest.npos && rest[next] == '\t';
}

// Returns the offset of the object in the line of a record; npos: the line is
// no record.
size_t ObjectOffset(std::string_view line) {
  const size_t at = line.find('{');
  if (at == line.npos) return at;
  return line.substr(0, at).find(']') == line.npos ? line.npos : at;
}

std::string FirstLine(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) continue;
    line.remove_prefix(begin);
    return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  }
  return "";
}

std::string WithoutFolders(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The compilation that a record names.
struct CompileId {
  std::string text;  // "0/1"; "": the record names none
  int64_t attempt = 0;
  bool again = false;  // the frame was compiled before
};

// Returns a count; nullopt if the value is something else.
std::optional<int64_t> CountOrNothing(const JsonValue& value) {
  const std::optional<int64_t> count = value.Int();
  return count && *count >= 0 ? count : std::nullopt;
}

// Returns nullopt if a part of the id is no count.
std::optional<CompileId> IdOf(const JsonValue& record) {
  CompileId id;
  const JsonValue autograd = record["compiled_autograd_id"];
  const JsonValue frame = record["frame_id"];
  if (!frame.IsGiven() && !autograd.IsGiven()) return id;
  if (autograd.IsGiven()) {
    const std::optional<int64_t> number = CountOrNothing(autograd);
    if (!number) return std::nullopt;
    id.text = fmt::format("!{}/", *number);
  }
  if (frame.IsGiven()) {
    const std::optional<int64_t> number = CountOrNothing(frame);
    const std::optional<int64_t> compile =
        CountOrNothing(record["frame_compile_id"]);
    if (!number || !compile) return std::nullopt;
    id.text += fmt::format("{}/{}", *number, *compile);
    id.again = *compile > 0;
  } else {
    id.text += "-/-";
  }
  if (record["attempt"].IsGiven()) {
    const std::optional<int64_t> attempt = CountOrNothing(record["attempt"]);
    if (!attempt) return std::nullopt;
    id.attempt = *attempt;
  }
  return id;
}

// Returns whether a record without a payload should have one: its digest is not
// that of an empty text.
bool LacksPayload(const JsonValue& record) {
  const JsonValue digest = record["has_payload"];
  return digest.IsGiven() &&
         digest.String() != "d41d8cd98f00b204e9800998ecf8427e";
}

// Returns whether the record shows that its compilation took place. An event
// may name a compilation that a cache made unnecessary.
bool ShowsCompilation(const JsonValue& record) {
  static constexpr std::string_view kNoEvidence[] = {
      "frame_id", "frame_compile_id", "attempt",
      "rank",     "has_payload",      "chromium_event"};
  for (auto member = record.begin(); member != record.end(); ++member) {
    if (std::find(std::begin(kNoEvidence), std::end(kNoEvidence),
                  (*member).Key()) == std::end(kNoEvidence)) {
      return true;
    }
  }
  return false;
}

class LogReader {
 public:
  LogReader(const loaders::InputFile& file, CompileLogs& logs,
            loaders::ImportLog& import_log, ByteNotes* notes)
      : file_(file),
        logs_(logs),
        import_log_(import_log),
        notes_(notes),
        log_(static_cast<uint32_t>(logs.logs.size())) {}

  absl::Status Read(const util::Cancellation* cancellation) {
    std::string_view rest = file_.bytes();
    std::string payload;
    while (!rest.empty()) {
      if (util::IsCancelled(cancellation)) {
        return absl::CancelledError("cancelled");
      }
      const std::string_view line = TakeLogLine(rest);
      const size_t begin = file_.OffsetOf(line), next = Offset(rest);
      if (line.find_first_not_of(" \t") == line.npos) {
        Note(ByteNotes::kWhiteSpace, begin, next);
        continue;
      }
      dropped_ = uses_payload_ = false;
      ReadLines(line, rest, payload);
      Note(ByteNotes::kDamaged, begin, dropped_ ? Offset(rest) : begin);
      Note(ByteNotes::kUnused, next, uses_payload_ ? next : Offset(rest));
    }
    if (records_ == 0) {
      return absl::InvalidArgumentError(
          fmt::format("{}: expected records of torch.compile "
                      "(TORCH_TRACE=DIR), found none in {} bytes",
                      file_.path(), file_.bytes().size()));
    }
    Finish();
    return absl::OkStatus();
  }

 private:
  struct OpenPhase {
    std::string name;
    int64_t start = 0;
    int64_t inside = 0;
  };
  // The open phases of a thread, the outermost first.
  struct OpenPhases {
    std::vector<OpenPhase> phases;
    std::map<std::string, std::vector<size_t>> of_name;  // places in `phases`
  };
  struct Start {
    std::string function, file;
    int64_t line = -1;
  };

  // Reads a line and the payload that follows it.
  void ReadLines(std::string_view line, std::string_view& rest,
                 std::string& payload) {
    if (line.starts_with('\t')) {
      Drop(line, "payload without a record",
           "expected a record before a line that begins with a tab");
      return;
    }
    const size_t at = ObjectOffset(line);
    if (at == line.npos) {
      Drop(line, "line that is no record",
           "expected the prefix of a logger and a JSON object");
      return;
    }
    payload.clear();
    bool has_payload = false;
    while (PayloadGoesOn(rest)) {
      if (has_payload) payload += '\n';
      has_payload = true;
      const std::string_view more = TakeLogLine(rest);
      payload += more.substr(std::min<size_t>(more.size(), 1));
    }
    const std::string_view text = line.substr(at);
    const absl::StatusOr<JsonTree> tree =
        JsonTree::Parse(text, file_.OffsetOf(text));
    if (!tree.ok()) {
      Drop(line, "record that is not JSON",
           std::string(tree.status().message()));
    } else if (!has_payload && LacksPayload(tree->root())) {
      Drop(line, "record without its payload",
           "expected lines that begin with a tab");
    } else {
      ReadRecord(line, tree->root(), payload);
    }
  }

  size_t Offset(std::string_view rest) const {
    return file_.bytes().size() - rest.size();
  }
  void Note(ByteNotes::Part part, size_t begin, size_t end) {
    if (notes_ != nullptr) notes_->Note(part, begin, end);
  }

  void Drop(std::string_view line, std::string_view kind,
            std::string_view why) {
    dropped_ = true;
    import_log_.Add(loaders::ImportLog::kDamage, kind,
                    fmt::format("{}: byte {}: {}: {}; it is dropped",
                                file_.path(), file_.OffsetOf(line), kind, why));
  }

  void ReadRecord(std::string_view line, const JsonValue& record,
                  const std::string& payload) {
    const std::optional<CompileId> id = IdOf(record);
    if (!record.IsObject() || !id) {
      Drop(line, "record with a wrong compile id",
           "expected counts in frame_id, frame_compile_id and attempt");
      return;
    }
    ++records_;
    if (const std::optional<int64_t> rank = CountOrNothing(record["rank"])) {
      ranks_.insert(*rank);
    }
    if (const JsonValue definition = record["str"]; definition.IsArray()) {
      std::optional<std::string> text;
      std::optional<int64_t> number;
      if (definition.size() >= 2) {
        auto element = definition.begin();
        text = (*element).String();
        ++element;
        number = CountOrNothing(*element);
      }
      if (text && number) {
        names_[*number] = *std::move(text);
      } else {
        Drop(line, "name of a file without its number",
             "expected \"str\": [TEXT, NUMBER]");
      }
      return;
    }
    if (!id->text.empty() && ShowsCompilation(record)) {
      CompileLogs::Compilation& compilation = CompilationOf(*id);
      compilation.attempts = std::max(compilation.attempts, id->attempt + 1);
    }
    ReadStart(record["dynamo_start"], *id);
    if (record["artifact"].IsObject()) {
      ReadArtifact(record["artifact"]["name"].String().value_or(""), *id,
                   payload);
    }
    if (record["compilation_metrics"].IsObject()) {
      ReadMetrics(record["compilation_metrics"], *id);
    }
    if (record["chromium_event"].Exists()) ReadEvent(line, payload);
  }

  CompileLogs::Compilation& CompilationOf(const CompileId& id) {
    const auto [place, is_new] =
        places_.try_emplace(id.text, compilations_.size());
    if (is_new) {
      compilations_.push_back(
          {.log = log_, .id = id.text, .is_recompilation = id.again});
    }
    return compilations_[place->second];
  }

  void ReadStart(const JsonValue& start, const CompileId& id) {
    JsonValue last;
    for (const JsonValue frame : start["stack"]) last = frame;
    if (id.text.empty() || !last.IsObject()) return;
    CompileLogs::Compilation& compilation = CompilationOf(id);
    compilation.function = last["name"].String().value_or("");
    compilation.line = CountOrNothing(last["line"]).value_or(-1);
    const auto name =
        names_.find(CountOrNothing(last["filename"]).value_or(-1));
    if (name != names_.end()) compilation.file = WithoutFolders(name->second);
  }

  void ReadArtifact(const std::string& name, const CompileId& id,
                    const std::string& payload) {
    static const RE2* const cache = new RE2("cache_(hit|miss|bypass)");
    if (RE2::PartialMatch(name, *cache)) ++cache_events_[name];
    uses_payload_ =
        name == "dynamo_graph_break_reason" || name == "recompile_reasons";
    if (name == "dynamo_graph_break_reason") {
      static const RE2* const place =
          new RE2(R"(Graph break in user code at (\S+):(\d+))");
      static const RE2* const reason = new RE2("Graph Break Reason: (.*)");
      static const RE2* const explanation = new RE2("\n\\s*Explanation: (.*)");
      CompileLogs::GraphBreak& found = breaks_.emplace_back(
          CompileLogs::GraphBreak{log_, id.text, "", -1, ""});
      int64_t line = 0;
      if (RE2::PartialMatch(payload, *place, &found.file, &line)) {
        found.file = WithoutFolders(found.file);
        found.line = line;
      }
      re2::StringPiece rest(payload);
      std::string why;
      if (RE2::FindAndConsume(&rest, *reason, &why)) {
        found.reason = FirstLine(why);
        // "Encountered graph break when …:" is about the line that follows,
        // and says nothing that this one does not.
        if (found.reason.ends_with(':')) {
          std::string next = FirstLine({rest.data(), rest.size()});
          found.reason = found.reason.starts_with("Encountered graph break")
                             ? std::move(next)
                             : found.reason + ' ' + next;
        }
        // Only the explanation names what could not be compiled.
        if (RE2::FindAndConsume(&rest, *explanation, &why)) {
          found.reason += ": ";
          found.reason += FirstLine(why);
        }
      } else {
        found.reason = FirstLine(payload);
      }
    } else if (name == "recompile_reasons" && !id.text.empty()) {
      ReadReasons(id, payload);
    }
  }

  void ReadReasons(const CompileId& id, const std::string& payload) {
    std::vector<std::string> reasons;
    const absl::StatusOr<JsonTree> tree = JsonTree::Parse(payload);
    if (tree.ok() && tree->root().IsArray()) {
      for (const JsonValue reason : tree->root()) {
        if (std::optional<std::string> text = reason.String()) {
          reasons.push_back(*std::move(text));
        }
      }
    } else if (tree.ok() && tree->root().String()) {
      reasons.push_back(*tree->root().String());
    } else {
      reasons.push_back(payload);
    }
    std::string& known = CompilationOf(id).reason;
    for (const std::string& text : reasons) {
      const std::string reason = FirstLine(text);
      if (!reasons_.emplace(id.text, reason).second) continue;
      known += known.empty() ? reason : "; " + reason;
    }
  }

  void ReadMetrics(const JsonValue& metrics, const CompileId& id) {
    if (id.text.empty()) return;
    CompileLogs::Compilation& compilation = CompilationOf(id);
    ++compilation.finished;
    std::optional<int64_t> duration;
    if (const auto micros = CountOrNothing(metrics["duration_us"])) {
      duration = util::SaturatingMul(*micros, 1000);
    } else if (const std::optional<double> seconds =
                   metrics["entire_frame_compile_time_s"].Double();
               seconds && *seconds >= 0 && *seconds < 1e9) {
      duration = std::llround(*seconds * 1e9);
    }
    if (duration) {
      compilation.duration =
          util::WrapAdd(std::max<int64_t>(compilation.duration, 0), *duration);
      compilation.longest = std::max(compilation.longest, *duration);
    }
    if (const std::optional<double> start = metrics["start_time"].Double();
        start && *start >= 0 && *start < 9e9) {
      // A double of this size is exact to about 0.25 us.
      compilation.started = std::llround(*start * 1e6) * 1000;
    }
    if (const auto nodes = CountOrNothing(metrics["graph_node_count"])) {
      compilation.graph_nodes = *nodes;
    }
    if (auto function = metrics["co_name"].String()) {
      compilation.function = *std::move(function);
    }
    if (const auto file = metrics["co_filename"].String()) {
      compilation.file = WithoutFolders(*file);
      compilation.line =
          CountOrNothing(metrics["co_firstlineno"]).value_or(compilation.line);
    }
    const std::string kind = metrics["fail_type"].String().value_or("");
    const std::string why = metrics["fail_reason"].String().value_or("");
    if (!kind.empty() || !why.empty()) {
      logs_.failures.push_back({log_, id.text, kind, FirstLine(why)});
    }
    for (const JsonValue restart : metrics["restart_reasons"]) {
      restarts_.push_back(
          {log_, id.text, "", -1, FirstLine(restart.String().value_or(""))});
    }
  }

  void ReadEvent(std::string_view line, const std::string& payload) {
    const absl::StatusOr<JsonTree> tree = JsonTree::Parse(payload);
    if (!tree.ok()) {
      Drop(line, "compiler event that is not JSON",
           std::string(tree.status().message()));
      return;
    }
    const JsonValue event = tree->root();
    const std::string kind = event["ph"].String().value_or("");
    if (kind != "B" && kind != "E") return;
    uses_payload_ = true;
    const std::optional<double> micros = event["ts"].Double();
    const std::optional<std::string> name = event["name"].String();
    // 9e15 µs is 285 years, and exact in a double.
    if (!micros || !name || !(std::abs(*micros) < 9e15)) {
      Drop(line, "compiler event without its name or time",
           "expected a text in name and a number in ts");
      return;
    }
    const int64_t time = std::llround(*micros * 1000);
    auto& [open, of_name] = open_[{std::string(event["pid"].raw()),
                                   std::string(event["tid"].raw())}];
    std::vector<size_t>& same = of_name[*name];
    if (kind == "B") {
      same.push_back(open.size());
      open.push_back({*name, time});
      return;
    }
    if (same.empty() || time < open[same.back()].start) {
      Drop(line, "compiler event without its beginning",
           "expected an earlier event with \"ph\": \"B\"");
      return;
    }
    const size_t begun = same.back();
    for (; open.size() > begun + 1; ++unfinished_) {
      of_name[open.back().name].pop_back();
      open.pop_back();
    }
    const OpenPhase phase = open.back();
    same.pop_back();
    open.pop_back();
    const int64_t duration = time - phase.start;
    if (!open.empty()) {
      open.back().inside = util::WrapAdd(open.back().inside, duration);
    }
    CompileLogs::Phase& sum = phases_[*name];
    ++sum.count;
    sum.duration = util::WrapAdd(sum.duration, duration);
    sum.self = util::WrapAdd(
        sum.self, std::max<int64_t>(util::WrapSub(duration, phase.inside), 0));
  }

  // Adds what only the whole log tells.
  void Finish() {
    int64_t rank = ranks_.size() == 1 ? *ranks_.begin() : -1;
    static const RE2* const rank_in_name = new RE2(R"(.*rank_(\d{1,9})[^/]*)");
    int64_t named = -1;
    if (RE2::FullMatch(file_.path(), *rank_in_name, &named)) rank = named;
    logs_.logs.push_back({file_.path(), rank});
    logs_.compilations.insert(logs_.compilations.end(), compilations_.begin(),
                              compilations_.end());
    const std::vector<CompileLogs::GraphBreak>& breaks =
        breaks_.empty() ? restarts_ : breaks_;
    logs_.graph_breaks.insert(logs_.graph_breaks.end(), breaks.begin(),
                              breaks.end());
    for (const auto& [event, count] : cache_events_) {
      logs_.cache_events.push_back({log_, event, count});
    }
    for (auto& [name, phase] : phases_) {
      phase.log = log_;
      phase.name = name;
      logs_.phases.push_back(phase);
    }
    for (const auto& [thread, open] : open_) {
      unfinished_ += static_cast<int64_t>(open.phases.size());
    }
    if (unfinished_ > 0) {
      import_log_.Add(loaders::ImportLog::kNotice, "compiler phase without end",
                      fmt::format("{}: {} phases of the compiler have no end; "
                                  "their time is not in the phases",
                                  file_.path(), unfinished_),
                      unfinished_);
    }
  }

  const loaders::InputFile& file_;
  CompileLogs& logs_;
  loaders::ImportLog& import_log_;
  ByteNotes* const notes_;  // nullptr: nobody wants them
  // Whether the record was dropped, and whether its payload was used.
  bool dropped_ = false, uses_payload_ = false;
  const uint32_t log_;
  int64_t records_ = 0;
  int64_t unfinished_ = 0;
  std::set<int64_t> ranks_;
  std::map<int64_t, std::string> names_;  // of files, by number
  std::map<std::string, size_t> places_;  // of ids in compilations_
  std::vector<CompileLogs::Compilation> compilations_;
  std::set<std::pair<std::string, std::string>> reasons_;  // by compilation
  // The restarts of compilations show breaks in logs of old versions.
  std::vector<CompileLogs::GraphBreak> breaks_, restarts_;
  std::map<std::string, int64_t> cache_events_;
  std::map<std::string, CompileLogs::Phase> phases_;
  // By process and thread.
  std::map<std::pair<std::string, std::string>, OpenPhases> open_;
};

}  // namespace

bool IsCompileLog(std::string_view bytes) {
  static const RE2* const prefix =
      new RE2(R"([VDIWE]\d{4,8} \d\d:\d\d:\d\d\.\d+ .*)");
  static const RE2* const kind = new RE2(
      R"re(\{"(str|chromium_event|dynamo_\w+|artifact|compilation_metrics\w*|describe_\w+|link|bwd_compilation_metrics|aot_\w+|inductor_\w+|optimize_ddp_\w+|torch_version|compiled_autograd_\w+)":.*)re");
  std::string_view rest = bytes.substr(0, kMaxSniffed);
  while (!rest.empty()) {
    const std::string_view line = TakeLogLine(rest);
    const size_t at = ObjectOffset(line);
    if (at != line.npos && RE2::FullMatch(line.substr(0, at), *prefix) &&
        RE2::FullMatch(line.substr(at), *kind)) {
      return true;
    }
  }
  return false;
}

absl::Status ReadCompileLog(const loaders::InputFile& file,
                            const util::Cancellation* cancellation,
                            CompileLogs& logs, loaders::ImportLog& import_log,
                            ByteNotes* notes) {
  return LogReader(file, logs, import_log, notes).Read(cancellation);
}

}  // namespace tfprof::torch_compile
