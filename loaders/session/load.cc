#include "loaders/session/load.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/chrome_json/kineto/format.h"
#include "loaders/core/byte_notes.h"
#include "loaders/nodes/skipped_damage.h"
#include "loaders/session/session_files.h"
#include "loaders/session/trace_facts.h"
#include "loaders/session/zip_archive.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "loaders/tensorflow/run_metadata/named_steps.h"
#include "loaders/xplane/format.h"
#include "util/json/json_reader.h"
#include "util/run/self_profile.h"
#include "util/text/decimal.h"
#include "util/text/safe_text.h"

namespace tfprof::session {
namespace {

constexpr std::string_view kTraces = "traces", kGraphs = "graphs";
constexpr size_t kMaxAbout = 1 << 20;

struct Trace {
  SessionTrace facts;
  SessionFiles* session = nullptr;
  size_t number = 0;  // number of the session
  std::string path;   // for messages
};

const loaders::Format* FormatOfKind(std::string_view kind) {
  if (kind == "run_metadata" || kind.empty())
    return &tensorflow::kRunMetadataFormat;
  if (kind == "xspace") return &xplane::kXPlaneFormat;
  if (kind == "kineto") return &kineto::kKinetoFormat;
  return nullptr;
}

// A PyTorch without Kineto writes a plain Chrome trace.
const loaders::Format* FormatOfData(std::string_view kind,
                                    std::string_view bytes) {
  const loaders::Format* format = FormatOfKind(kind);
  const bool is_plain = format == &kineto::kKinetoFormat &&
                        format->sniff(bytes).score == 0 &&
                        chrome_json::kChromeFormat.sniff(bytes).score > 0;
  return is_plain ? &chrome_json::kChromeFormat : format;
}

class Loader {
 public:
  // `fates`: for the account of one session.
  explicit Loader(loaders::LoadContext& context, FileFates* fates = nullptr)
      : context_(context), fates_(fates) {}

  absl::Status Load(std::span<const loaders::FormatFile> files) {
    const util::ScopedPhase phase("session",
                                  fmt::format("{} files", files.size()));
    for (const loaders::FormatFile& file : files) {
      absl::Status status = ReadFacts(file);
      if (!status.ok()) return status;
    }
    std::vector<Trace*> runs, others;
    for (Trace& trace : traces_) {
      const loaders::Format* format = FormatOfKind(trace.facts.kind);
      if (format == nullptr) {
        Skip(trace, "its kind is unknown");
      } else {
        (format == &tensorflow::kRunMetadataFormat ? runs : others)
            .push_back(&trace);
      }
    }
    if (!runs.empty()) {
      for (const Trace* trace : others) {
        const loaders::Format& format = *FormatOfKind(trace->facts.kind);
        Skip(*trace, fmt::format("a {}, whose times are counted by other rules "
                                 "than those of a RunMetadata; to open it: {}",
                                 format.name, HowToOpen(*trace)));
      }
      return LoadRuns(runs);
    }
    if (!others.empty()) return LoadNewest(others);
    return absl::NotFoundError(fmt::format(
        "{}: the session has no trace that can be read; {}", files.front().path,
        first_damage_.empty() ? "none was recorded" : first_damage_));
  }

  SessionFiles& session() { return *sessions_.front(); }

 private:
  // Returns the command that opens only this trace.
  static std::string HowToOpen(const Trace& trace) {
    const loaders::Format* format = FormatOfKind(trace.facts.kind);
    // The content decides which of two formats a PyTorch trace has.
    const std::string flag = format == &kineto::kKinetoFormat
                                 ? ""
                                 : fmt::format("--{} ", format->flag);
    if (!trace.session->is_archive()) {
      return fmt::format("tfprof {}{}", flag, trace.path);
    }
    return fmt::format("unzip {}, then tfprof {}{}/{}", trace.session->path(),
                       flag, kTraces, trace.facts.file);
  }

  // Notes that a file was read, or nothing of it. `format`: nullptr of JSON.
  void NoteRead(std::string_view folder, std::string_view name,
                const loaders::InputFile& file, const loaders::Format* format) {
    if (fates_ == nullptr) return;
    FileFate& fate = (*fates_)[{std::string(folder), std::string(name)}];
    if (format != nullptr) {
      fate.account = format->account(file, context_.work.cancellation);
    } else {
      fate.account =
          loaders::ByteNotes().Account(file.bytes(), util::CountJsonSpaces);
    }
    // A wrong checksum does not tell which byte is wrong.
    if (!file.damage().empty()) {
      fate.account.repaired += fate.account.read + fate.account.skipped();
      fate.account.read = fate.account.unused = fate.account.white_space =
          fate.account.free = 0;
    }
  }
  void NoteLost(std::string_view folder, std::string_view name) {
    if (fates_ == nullptr) return;
    (*fates_)[{std::string(folder), std::string(name)}].is_lost = true;
  }

  void Damage(std::string_view kind, const std::string& text) {
    if (first_damage_.empty()) first_damage_ = text;
    context_.log.Add(loaders::ImportLog::kDamage, kind, text);
  }

  // Says what is wrong with the container of a file: a checksum, for example.
  void NoteDamageOf(const loaders::InputFile& file, std::string_view kind) {
    if (!file.damage().empty()) Damage(kind, file.damage());
  }

  // Large files are left out, as in any other load.
  void CheckSkippedParts(const loaders::Format& format,
                         const loaders::InputFile& file) {
    if (context_.log.damaged() ||
        file.bytes().size() > loaders::kCheckedBytes) {
      return;
    }
    CheckStructure(format, file, context_.work.cancellation, context_.log);
  }

  void Skip(const Trace& trace, std::string_view why) {
    context_.log.Add(loaders::ImportLog::kNotice, "trace of a session skipped",
                     fmt::format("{}: skipped: {}", trace.path, why));
  }

  absl::Status ReadFacts(const loaders::FormatFile& file) {
    sessions_.push_back(
        SessionFiles::Of(file.file, context_.log, context_.work.cancellation));
    SessionFiles& session = *sessions_.back();
    CheckManifest(file, session);
    const std::vector<std::string> names = session.List(kTraces);
    for (const std::string& name : names) {
      if (context_.work.cancelled()) return absl::CancelledError("cancelled");
      if (name.ends_with(kAboutSuffix)) ReadTrace(session, name, names);
    }
    return absl::OkStatus();
  }

  void CheckManifest(const loaders::FormatFile& file, SessionFiles& session) {
    std::shared_ptr<const loaders::InputFile> manifest = file.file;
    if (IsZip(manifest->bytes())) {
      const auto opened = session.Open("", kManifestName);
      if (!opened.ok()) {
        NoteLost("", kManifestName);
        return Damage("damaged manifest",
                      std::string(opened.status().message()));
      }
      manifest = *opened;
      NoteDamageOf(*manifest, "damaged manifest");
    }
    if (SessionVersion(manifest->bytes()).has_value()) {
      return NoteRead("", kManifestName, *manifest, nullptr);
    }
    NoteLost("", kManifestName);
    Damage(
        "damaged manifest",
        fmt::format("{}: expected {{\"format\": \"tfprof session\", …}}; its "
                    "traces are read without it",
                    session.PathOf("", kManifestName)));
  }

  void ReadTrace(SessionFiles& session, const std::string& name,
                 const std::vector<std::string>& names) {
    const std::string path = session.PathOf(kTraces, name);
    const auto about = session.Open(kTraces, name);
    if (!about.ok()) {
      NoteLost(kTraces, name);
      return Damage("damaged facts", std::string(about.status().message()));
    }
    NoteDamageOf(**about, "damaged facts");
    auto facts = (*about)->bytes().size() > kMaxAbout
                     ? absl::InvalidArgumentError("it is larger than 1 MiB")
                     : ParseSessionTrace((*about)->bytes());
    Trace trace;
    trace.session = &session;
    trace.number = sessions_.size() - 1;
    const std::string id = name.substr(0, name.size() - kAboutSuffix.size());
    if (!facts.ok()) {
      NoteLost(kTraces, name);
      Damage("damaged facts",
             fmt::format("{}: {}; the trace is read without them", path,
                         std::string(facts.status().message())));
      trace.facts = WithoutFacts(id, names);
    } else {
      NoteRead(kTraces, name, **about, nullptr);
      trace.facts = *std::move(facts);
      if (trace.facts.file.empty()) trace.facts.file = id + ".pb";
      if (!IsPlainName(trace.facts.file)) {
        NoteLost(kTraces, name);
        return Damage("name outside of the session",
                      fmt::format("{}: skipped: its file is \"{}\", expected a "
                                  "plain name",
                                  path, util::SafeText(trace.facts.file)));
      }
    }
    trace.facts.id = id;
    trace.path = session.PathOf(kTraces, trace.facts.file);
    traces_.push_back(std::move(trace));
  }

  // Returns the facts that the names in the folder show.
  static SessionTrace WithoutFacts(const std::string& id,
                                   const std::vector<std::string>& names) {
    SessionTrace facts;
    facts.file = id + ".pb";
    for (const std::string& name : names) {
      if (!name.starts_with(id + ".") || name.ends_with(kAboutSuffix)) continue;
      facts.file = name;
      if (name.ends_with(".xplane.pb")) facts.kind = "xspace";
      if (name.ends_with(".json")) facts.kind = "kineto";
    }
    return facts;
  }

  // Returns the bytes of a trace if they are of its kind. Otherwise returns
  // nullptr and logs the reason.
  std::shared_ptr<const loaders::InputFile> DataOf(const Trace& trace) {
    const auto file = trace.session->Open(kTraces, trace.facts.file);
    if (!file.ok()) {
      NoteLost(kTraces, trace.facts.file);
      Damage("missing trace", std::string(file.status().message()));
      return nullptr;
    }
    NoteDamageOf(**file, "damaged trace");
    const loaders::Format& format =
        *FormatOfData(trace.facts.kind, (*file)->bytes());
    if (format.sniff((*file)->bytes()).score == 0) {
      NoteLost(kTraces, trace.facts.file);
      Damage("damaged trace",
             fmt::format("{}: skipped: its {} bytes are not a {}", trace.path,
                         (*file)->bytes().size(), format.name));
      return nullptr;
    }
    NoteRead(kTraces, trace.facts.file, **file, &format);
    return *file;
  }

  // Returns the number of a trace if it is free, else the next number: several
  // sessions have the same file names.
  int64_t ChooseStep(const SessionTrace& facts) {
    int64_t step = util::ParseDecimal(facts.id).value_or(-1);
    if (step < 0 || steps_.contains(step)) {
      step = steps_.empty() ? 0 : *steps_.rbegin() + 1;
    }
    steps_.insert(step);
    return step;
  }

  // Returns a name such as "run 3, count 57", which is equal in processes that
  // do the same. The name contains the client if it is not a rank.
  std::string NameOf(const Trace& trace, bool several_clients) const {
    const SessionTrace& facts = trace.facts;
    std::string name;
    if (several_clients && facts.rank < 0 && !facts.client.empty()) {
      name = util::SafeText(facts.client) + ", ";
    }
    if (facts.row >= 0) name += fmt::format("run {}", facts.row);
    // Sessions of tensorflow-tracer do not have the count.
    if (facts.count > 0) {
      name += fmt::format(", count {}", facts.count);
    } else if (facts.row >= 0 && facts.number >= 0) {
      name += fmt::format(", trace {}", facts.number);
    }
    return name.empty() ? fmt::format("trace {}", facts.id) : name;
  }

  // Returns the process of a trace; kNone if one process recorded everything.
  profile::ProcessId ProcessOf(const Trace& trace) {
    const auto key = std::make_pair(trace.number, WhoOf(trace));
    const auto [it, is_new] = processes_.try_emplace(key, profile::kNone);
    if (!is_new) return it->second;
    profile::Process process;
    process.rank = trace.facts.rank;
    process.host = util::SafeText(trace.facts.host);
    process.label = key.second;
    if (sessions_.size() > 1) {
      if (!process.label.empty()) process.label += " of ";
      process.label += fmt::format("session {}", trace.number);
      if (process.rank < 0) {
        process.rank = static_cast<int64_t>(trace.number);
      }
    }
    process.name = process.label;
    it->second =
        context_.builder.mutable_graph().lanes.AddProcess(std::move(process));
    return it->second;
  }
  static std::string WhoOf(const Trace& trace) {
    return trace.facts.rank >= 0 ? fmt::format("rank {}", trace.facts.rank)
                                 : util::SafeText(trace.facts.client);
  }

  absl::Status LoadRuns(const std::vector<Trace*>& traces) {
    if (&context_.builder.rules() != &accounting::TfprofRules()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: a session of RunMetadata cannot be loaded beside a trace, whose "
          "times are counted by other rules; open one of them and compare it "
          "with the other one (base FILE)",
          sessions_.front()->path()));
    }
    for (const auto& step : context_.builder.finished_steps()) {
      steps_.insert(step->id);
    }
    std::set<std::pair<size_t, std::string>> who;
    for (const Trace* trace : traces) who.emplace(trace->number, WhoOf(*trace));
    std::vector<tensorflow::NamedStep> steps;
    std::vector<const Trace*> loaded;
    for (const Trace* trace : traces) {
      if (context_.work.cancelled()) return absl::CancelledError("cancelled");
      tensorflow::NamedStep step = {.file = DataOf(*trace)};
      if (step.file == nullptr) continue;
      step.step = ChooseStep(trace->facts);
      step.name = NameOf(*trace, who.size() > 1 && sessions_.size() == 1);
      if (who.size() > 1) step.process = ProcessOf(*trace);
      steps.push_back(std::move(step));
      loaded.push_back(trace);
    }
    if (steps.empty()) {
      return absl::DataLossError(
          fmt::format("{}: none of its {} traces could be read",
                      sessions_.front()->path(), traces.size()));
    }
    absl::Status graphs = LoadGraphs(loaded);
    if (!graphs.ok()) return graphs;
    if (fates_ != nullptr) return absl::OkStatus();  // it needs no profile
    const size_t before = context_.run_coverage.size();
    absl::Status status = tensorflow::LoadNamedSteps(steps, context_);
    for (const tensorflow::NamedStep& step : steps) {
      CheckSkippedParts(tensorflow::kRunMetadataFormat, *step.file);
    }
    // The coverage grows from step to step. A session has hundreds of steps,
    // and each would be a line, so only the last one is kept: it covers all of
    // them.
    std::vector<double>& coverage = context_.run_coverage;
    if (coverage.size() > before + 1) {
      coverage.erase(coverage.begin() + before, coverage.end() - 1);
    }
    return status;
  }

  // Loads the graphs that traces name, each once. A graph that cannot be read
  // is logged, and its nodes are made from the traces.
  absl::Status LoadGraphs(const std::vector<const Trace*>& traces) {
    std::set<std::pair<size_t, std::string>> seen;
    for (const Trace* trace : traces) {
      const std::string& graph = trace->facts.graph;
      if (graph.empty() || !seen.emplace(trace->number, graph).second) continue;
      const std::string name = graph + ".pb";
      const auto file = trace->session->Open(kGraphs, name);
      if (!file.ok()) {
        NoteLost(kGraphs, name);
        Damage("missing graph", std::string(file.status().message()));
        continue;
      }
      NoteDamageOf(**file, "damaged graph");
      const loaders::FormatFile alone = {.path = (*file)->path(),
                                         .file = *file};
      absl::Status status =
          tensorflow::kGraphDefFormat.load(std::span(&alone, 1), context_);
      if (absl::IsCancelled(status)) return status;
      NoteRead(kGraphs, name, **file, &tensorflow::kGraphDefFormat);
      if (!status.ok()) {
        NoteLost(kGraphs, name);
        Damage("damaged graph", std::string(status.message()));
      }
      CheckSkippedParts(tensorflow::kGraphDefFormat, **file);
    }
    return absl::OkStatus();
  }

  // Loads the newest of traces of other kinds, with its own loader.
  absl::Status LoadNewest(std::vector<Trace*>& traces) {
    std::stable_sort(traces.begin(), traces.end(),
                     [](const Trace* a, const Trace* b) {
                       return a->facts.start_ns > b->facts.start_ns;
                     });
    const Trace* newest = nullptr;
    std::shared_ptr<const loaders::InputFile> file;
    for (const Trace* trace : traces) {
      if (newest == nullptr) {
        file = DataOf(*trace);
        if (file != nullptr) newest = trace;
        continue;
      }
      Skip(*trace, fmt::format("only the newest trace, {}, is opened; to open "
                               "this one: {}",
                               newest->path, HowToOpen(*trace)));
    }
    if (newest == nullptr) {
      return absl::DataLossError(
          fmt::format("{}: none of its {} traces could be read",
                      sessions_.front()->path(), traces.size()));
    }
    if (fates_ != nullptr) return absl::OkStatus();
    const loaders::Format& format =
        *FormatOfData(newest->facts.kind, file->bytes());
    const bool is_empty = context_.builder.finished_steps().empty() &&
                          context_.builder.graph().nodes.size() == 0;
    if (!is_empty && &context_.builder.rules() != &format.rules()) {
      return absl::InvalidArgumentError(fmt::format(
          "{} is a {}, which cannot be loaded with the other files, because "
          "its times are counted by different rules; open it alone",
          newest->path, format.name));
    }
    if (is_empty) {
      context_.builder.SetRules(format.rules());
      context_.builder.SetTicksPerMicro(format.ticks_per_micro);
    }
    const loaders::FormatFile alone = {.path = newest->path, .file = file};
    absl::Status status = format.load(std::span(&alone, 1), context_);
    CheckSkippedParts(format, *file);
    return status;
  }

  loaders::LoadContext& context_;
  FileFates* const fates_;  // nullptr: nobody wants them
  std::vector<std::unique_ptr<SessionFiles>> sessions_;
  std::vector<Trace> traces_;
  std::map<std::pair<size_t, std::string>, profile::ProcessId> processes_;
  std::set<int64_t> steps_;
  std::string first_damage_;
};

}  // namespace

absl::Status LoadSessions(std::span<const loaders::FormatFile> files,
                          loaders::LoadContext& context) {
  return Loader(context).Load(files);
}

loaders::SourceAccount AccountSession(const loaders::InputFile& file,
                                      const util::Cancellation* cancellation) {
  loaders::LoadContext context;
  context.work.cancellation = cancellation;
  // The caller keeps the file.
  const loaders::FormatFile alone = {
      .path = file.path(),
      .file = std::shared_ptr<const loaders::InputFile>(
          std::shared_ptr<const loaders::InputFile>(), &file)};
  FileFates fates;
  Loader loader(context, &fates);
  // A session that has no trace has an account, too.
  (void)loader.Load(std::span(&alone, 1));
  return loader.session().Account(fates);
}

}  // namespace tfprof::session
