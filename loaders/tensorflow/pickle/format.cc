#include "loaders/tensorflow/pickle/format.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "loaders/core/byte_notes.h"
#include "loaders/tensorflow/pickle/pickle.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "loaders/tensorflow/run_metadata/named_steps.h"
#include "util/text/safe_text.h"

namespace tfprof::tensorflow {
namespace {

loaders::Fit Sniff(std::string_view bytes) {
  return {.score = IsPickle(bytes) ? loaders::Fit::kMagic : 0};
}

absl::Status NoMessage(const loaders::FormatFile& file,
                       const PickledMessages& pickle) {
  std::string names;
  for (const std::string& name : pickle.names) {
    names +=
        fmt::format("{}{}", names.empty() ? "" : ", ", util::SafeText(name));
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: a pickle without RunMetadata{}{}; it was read, not run",
                  file.path, names.empty() ? "" : ", which names ", names));
}

// Returns "run 1, trace 0", or "" for a message outside of a session's lists.
std::string NameOf(const PicklePlace& place) {
  return place.run < 0
             ? ""
             : fmt::format("run {}, trace {}", place.run, place.trace);
}

// Several sessions are the ranks of a program, in the given order, because the
// files do not have their ranks.
profile::ProcessId AddProcess(const loaders::FormatFile& file, size_t number,
                              loaders::LoadContext& context) {
  const std::string name =
      util::SafeText(file.path.substr(file.path.rfind('/') + 1));
  return context.builder.mutable_graph().lanes.AddProcess(
      {.rank = static_cast<int64_t>(number), .name = name, .label = name});
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  std::vector<NamedStep> steps;
  for (size_t f = 0; f < files.size(); ++f) {
    const loaders::FormatFile& file = files[f];
    const PickledMessages pickle = ReadPickle(file.file->bytes());
    if (pickle.messages.empty()) return NoMessage(file, pickle);
    if (!pickle.damage.empty()) {
      context.log.Add(loaders::ImportLog::kDamage, "damaged pickle",
                      fmt::format("{}: {}; the data before it is kept",
                                  file.path, pickle.damage));
    }
    const profile::ProcessId process =
        files.size() > 1 ? AddProcess(file, f, context) : profile::kNone;
    for (size_t m = 0; m < pickle.messages.size(); ++m) {
      const auto step = static_cast<int64_t>(steps.size());
      steps.push_back({.file = loaders::InputFile::FromBytes(
                           fmt::format("{} (message {})", file.path, step),
                           std::string(pickle.messages[m])),
                       .step = step,
                       .name = NameOf(pickle.places[m]),
                       .process = process});
    }
  }
  return LoadNamedSteps(steps, context);
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  const std::string_view bytes = file.bytes();
  const PickledMessages pickle = ReadPickle(bytes);
  loaders::ByteNotes notes;
  // A message that is cut off is read as far as it goes.
  const size_t cut = pickle.messages.empty()
                         ? 0
                         : file.OffsetOf(pickle.messages.back()) +
                               pickle.messages.back().size();
  notes.Note(pickle.damage.empty() ? loaders::ByteNotes::kUnused
                                   : loaders::ByteNotes::kDamaged,
             std::max(pickle.end, cut), bytes.size());
  loaders::ByteAccount account = notes.Account(bytes);
  for (const std::string_view message : pickle.messages) {
    account.read -= static_cast<int64_t>(message.size());
    account += kRunMetadataFormat.account(
        *loaders::InputFile::FromBytes(file.path(), std::string(message)),
        cancellation);
  }
  return account;
}

}  // namespace

const loaders::Format kPickleFormat = {
    .name = "pickled RunMetadata",
    .flag = "pickle_path",
    .value_name = "FILE,…",
    .help =
        "Pickles of tfvis and tftracer: each RunMetadata in them is a step. "
        "They are read, never run.",
    .flag_takes_list = true,
    .failed_name = "pickle_path",
    .role = loaders::Role::kRun,
    .order = 13,
    .rules = accounting::TfprofRules,
    .sniff = Sniff,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::tensorflow
