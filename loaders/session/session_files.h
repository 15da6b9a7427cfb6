// SessionFiles: the files of a session of traces: of its folder, or of a zip
// archive of it (g3doc/formats/session.md).
//
// A session has files in four folders at most, so a file is named by both. Only
// plain names are opened, see IsPlainName(), and no link is followed, so what a
// session says never leads out of it. In an archive, the session may be in a
// folder of its own.
//
// Errors: those of InputFile and ZipArchive. What is wrong with the archive
// itself, and members whose names lead out of it, are in the log that Open() is
// given.

#ifndef TFPROF_LOADERS_SESSION_SESSION_FILES_H_
#define TFPROF_LOADERS_SESSION_SESSION_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "util/cancellation.h"

namespace tfprof {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kAboutSuffix = ".about.json";

// One part of a path: of letters, digits, '.', '_' and '-', and not beginning
// with a dot.
bool IsPlainName(std::string_view name);

class SessionFiles {
 public:
  // `manifest` is the file of the manifest, "DIR/manifest.json", or the
  // archive.
  static std::unique_ptr<SessionFiles> Of(
      std::shared_ptr<const InputFile> manifest, ImportLog& log,
      const Cancellation* cancellation = nullptr);
  virtual ~SessionFiles() = default;

  // The folder, or the archive, for messages.
  const std::string& path() const { return path_; }
  // Its files are no files of the system.
  virtual bool is_archive() const = 0;
  // The name of a file for a person: "DIR/traces/000001.pb".
  std::string PathOf(std::string_view folder, std::string_view name) const;

  // Names of the files in a folder ("" is the session itself), in natural
  // order. A folder that is not there is empty.
  virtual std::vector<std::string> List(std::string_view folder) = 0;
  virtual absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      std::string_view folder, std::string_view name) = 0;

 protected:
  explicit SessionFiles(std::string path) : path_(std::move(path)) {}

 private:
  const std::string path_;
};

// Whether a folder has facts of traces, which only sessions have: it is one
// even if its manifest is damaged.
bool HasTraceFacts(const std::string& folder);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SESSION_SESSION_FILES_H_
