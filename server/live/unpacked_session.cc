#include "server/live/unpacked_session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "exporters/formats/session.h"
#include "fmt/format.h"
#include "loaders/core/format.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load.h"
#include "loaders/session/format.h"
#include "loaders/tensorflow/pickle/format.h"
#include "profiler/commands/files/convert_session.h"
#include "util/files/errno_status.h"
#include "util/files/sink.h"

namespace tfprof::server {
namespace {

namespace fs = std::filesystem;

// Reads a pickle. Any other file ends in an error about its unknown format.
absl::StatusOr<exporters::SessionParts> PartsOfPickle(
    const loaders::LoadRequest& request, loaders::ImportLog& log) {
  absl::StatusOr<loaders::Loaded> loaded = loaders::Load(request);
  if (!loaded.ok()) return loaded.status();
  log = std::move(loaded->log);
  return commands::SessionPartsOf({}, *loaded);
}

absl::Status WriteParts(const exporters::SessionParts& parts,
                        const std::string& folder) {
  for (const char* name : {"clients", "traces", "graphs"}) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (mkdir(path.c_str(), 0700) != 0) return util::ErrnoStatus(errno, path);
  }
  for (const exporters::SessionPart& part : parts) {
    absl::Status written = util::WriteFile(
        fmt::format("{}/{}", folder, part.name), part.file->bytes());
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string path = (base / "tfprof-session-XXXXXX").string();
  // mkdtemp() creates the folder with mode 0700.
  if (mkdtemp(path.data()) == nullptr) return util::ErrnoStatus(errno, path);
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

absl::StatusOr<std::unique_ptr<UnpackedSession>> UnpackedSession::Of(
    const loaders::LoadRequest& request, std::string folder) {
  if (request.files.size() != 1 || !request.flagged.empty()) return nullptr;
  std::error_code error;
  // Reading a pipe here would take its bytes away from the loader.
  if (!fs::is_regular_file(request.files[0], error)) return nullptr;
  const auto file = loaders::InputFile::Open(request.files[0]);
  if (!file.ok()) return file.status();
  const loaders::Format* format =
      loaders::SniffFormat((*file)->bytes(), loaders::Formats()).format;
  if (format != nullptr && format != &session::kSessionFormat &&
      format != &tensorflow::kPickleFormat) {
    return nullptr;
  }
  loaders::ImportLog log;
  const absl::StatusOr<exporters::SessionParts> parts =
      format == &session::kSessionFormat
          ? exporters::ReadSession(request.files[0], log)
          : PartsOfPickle(request, log);
  if (!parts.ok()) return parts.status();
  std::unique_ptr<TemporaryFolder> own;
  if (folder.empty()) {
    absl::StatusOr<std::unique_ptr<TemporaryFolder>> made =
        TemporaryFolder::Make();
    if (!made.ok()) return made.status();
    own = *std::move(made);
    folder = own->path();
  }
  absl::Status written = WriteParts(*parts, folder);
  if (!written.ok()) return written;
  std::unique_ptr<UnpackedSession> session(
      new UnpackedSession(std::move(folder), std::move(own)));
  if (log.damaged()) session->damage_ = log.Lines();
  return session;
}

}  // namespace tfprof::server
