#include "profiler/commands/files/convert_session.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/format.h"
#include "loaders/core/input_file.h"
#include "loaders/session/format.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/pickle/format.h"
#include "loaders/tensorflow/pickle/pickle.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "profile/steps/step_list.h"
#include "util/arithmetic.h"

namespace tfprof::commands {
namespace {

// When the executions of a step ran, as in the file.
void SetTimes(const profile::Profile& profile, int64_t number,
              exporters::NewTrace& run) {
  const profile::Step* step = profile.FindStep(number);
  if (step == nullptr) return;
  int64_t start = INT64_MAX, end = INT64_MIN;
  for (size_t e = 0; e < step->num_records(); ++e) {
    if (!step->HasStart(e)) continue;
    const int64_t begin = step->exec_start.Nanos(e);
    start = std::min(start, begin);
    end =
        std::max(end, util::SaturatingAdd(begin, step->exec_duration.Nanos(e)));
  }
  if (start > end) return;
  run.start_ns = start;
  run.duration_ns = std::max<int64_t>(0, util::WrapSub(end, start));
}

// The binary form of a file.
absl::StatusOr<std::shared_ptr<const loaders::InputFile>> OpenBinary(
    const std::string& path, const loaders::Format& format) {
  auto file = loaders::InputFile::Open(path);
  if (!file.ok() || !format.sniff((*file)->bytes()).text) return file;
  loaders::ImportLog log;
  return format.from_text(**file, log, nullptr);
}

class Maker {
 public:
  Maker(const options::ConvertSpec& spec, const loaders::Loaded& loaded)
      : spec_(spec), loaded_(loaded) {
    pickles_ = std::count_if(
        loaded.sources.begin(), loaded.sources.end(), [](const auto& of) {
          return of.format == tensorflow::kPickleFormat.name;
        });
  }

  absl::StatusOr<exporters::SessionParts> Make() {
    for (const loaders::Loaded::Source& source : loaded_.sources) {
      absl::Status status;
      if (source.format == session::kSessionFormat.name) {
        if (loaded_.sources.size() > 1 || !spec_.steps.empty()) {
          return absl::FailedPreconditionError(
              "A session is copied alone and as it is: load no other file, and "
              "choose no -steps.");
        }
        loaders::ImportLog log;  // what loading has said
        return exporters::ReadSession(source.path, log);
      }
      if (source.format == tensorflow::kRunMetadataFormat.name) {
        status = AddRun(source);
      } else if (source.format == tensorflow::kPickleFormat.name) {
        status = AddPickle(source);
      } else if (source.format == tensorflow::kGraphDefFormat.name) {
        auto graph = OpenBinary(source.path, tensorflow::kGraphDefFormat);
        status = graph.status();
        if (graph.ok()) session_.graph = *std::move(graph);
      }
      if (!status.ok()) return status;
    }
    if (session_.runs.empty()) {
      return absl::FailedPreconditionError(
          "No file that is loaded is a RunMetadata, a pickle with some, or a "
          "session: -to session writes those.");
    }
    return exporters::MakeSession(session_);
  }

 private:
  // Whether -steps contains the step.
  bool IsChosen(int64_t step) const {
    return spec_.steps.empty() || profile::Contains(spec_.steps, step);
  }

  absl::Status AddRun(const loaders::Loaded::Source& source) {
    if (!IsChosen(source.step)) return absl::OkStatus();
    auto file = OpenBinary(source.path, tensorflow::kRunMetadataFormat);
    if (!file.ok()) return file.status();
    exporters::NewTrace run = {
        .file = *std::move(file),
        .number = static_cast<int64_t>(session_.runs.size()),
        .step = source.step};
    SetTimes(loaded_.profile, source.step, run);
    session_.runs.push_back(std::move(run));
    if (session_.rows.empty()) session_.rows.push_back({});
    ++session_.rows[0].runs;
    return absl::OkStatus();
  }

  // Several pickles belong to ranks, in the order in which they are given.
  absl::Status AddPickle(const loaders::Loaded::Source& source) {
    const auto file = loaders::InputFile::Open(source.path);
    if (!file.ok()) return file.status();
    const int64_t rank = pickles_ > 1 ? next_rank_++ : -1;
    const tensorflow::PickledMessages pickle =
        tensorflow::ReadPickle((*file)->bytes());
    for (size_t m = 0; m < pickle.messages.size(); ++m) {
      const int64_t step = next_step_++;
      if (!IsChosen(step)) continue;
      const tensorflow::PicklePlace& place = pickle.places[m];
      exporters::NewTrace run = {
          .file = loaders::InputFile::FromBytes(
              source.path, std::string(pickle.messages[m])),
          .rank = rank,
          .row = std::max<int64_t>(0, place.run),
          .number = place.run < 0 ? static_cast<int64_t>(m) : place.trace};
      SetTimes(loaded_.profile, step, run);
      session_.runs.push_back(std::move(run));
    }
    for (const tensorflow::PickledRow& row : pickle.rows) {
      if (row.run < 0) continue;
      session_.rows.push_back({.rank = rank,
                               .row = row.run,
                               .fetches = std::string(row.fetches),
                               .runs = row.runs});
    }
    return absl::OkStatus();
  }

  const options::ConvertSpec& spec_;
  const loaders::Loaded& loaded_;
  exporters::NewSession session_;
  int64_t pickles_ = 0;
  int64_t next_rank_ = 0;
  int64_t next_step_ = 0;
};

}  // namespace

absl::StatusOr<exporters::SessionParts> SessionPartsOf(
    const options::ConvertSpec& spec, const loaders::Loaded& loaded) {
  return Maker(spec, loaded).Make();
}

tables::Answer SessionAnswer(const options::ConvertSpec& spec,
                             const loaders::Loaded& loaded) {
  absl::StatusOr<exporters::SessionParts> made = SessionPartsOf(spec, loaded);
  if (!made.ok()) return tables::ErrorAnswer(made.status());
  tables::Answer answer;
  const exporters::SessionParts& parts = answer.Keep(*std::move(made));
  const auto traces = std::count_if(parts.begin(), parts.end(),
                                    [](const exporters::SessionPart& part) {
                                      return part.name.ends_with(".about.json");
                                    });
  if (spec.type == options::ConvertSpec::Type::kSessionZip) {
    answer.files.push_back(
        {.path = spec.path, .write = [&parts](util::Sink& sink) {
           return exporters::WriteZip(parts, sink);
         }});
  } else {
    answer.folder = spec.path;
    for (const exporters::SessionPart& part : parts) {
      answer.files.push_back({.path = part.name,
                              .write =
                                  [&part](util::Sink& sink) {
                                    sink.Write(part.file->bytes());
                                    return absl::OkStatus();
                                  },
                              .work = part.file->bytes().size()});
    }
  }
  answer.met = [traces, path = spec.path] {
    return std::vector<std::string>{
        fmt::format("A session of {} trace{} is written to {}.", traces,
                    traces == 1 ? "" : "s", path)};
  };
  return answer;
}

}  // namespace tfprof::commands
