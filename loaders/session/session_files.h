// SessionFiles: the files of a session of traces, in a folder or a zip archive
// (g3doc/formats/session.md).
//
// A session has files in at most four folders, so a file is given by folder and
// name. Only plain names are opened, see IsPlainName(), and no link is
// followed, so a session can never refer to files outside of it. In an archive,
// the session may be inside a folder.
//
// Errors: see InputFile and ZipArchive. Damage of the archive itself, and
// members whose names lead out of the session, are in the log of Open().

#ifndef TFPROF_LOADERS_SESSION_SESSION_FILES_H_
#define TFPROF_LOADERS_SESSION_SESSION_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::session {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kAboutSuffix = ".about.json";

// Returns whether `name` is one part of a path. It may have letters, digits,
// '.', '_' and '-', but must not begin with a dot.
bool IsPlainName(std::string_view name);

// What became of the files of a session that a load looked at, by folder and
// name; the others are of no use.
struct FileFate {
  bool is_lost = false;
  loaders::ByteAccount account;  // of its bytes, unless it is lost
};
using FileFates = std::map<std::pair<std::string, std::string>, FileFate>;

class SessionFiles {
 public:
  // `manifest` is the file of the manifest ("DIR/manifest.json") or the
  // archive.
  static std::unique_ptr<SessionFiles> Of(
      const std::shared_ptr<const loaders::InputFile>& manifest,
      loaders::ImportLog& log,
      const util::Cancellation* cancellation = nullptr);
  virtual ~SessionFiles() = default;

  // The folder or the archive, for messages.
  const std::string& path() const { return path_; }
  // True if the files are inside an archive.
  virtual bool is_archive() const = 0;
  // Returns the name of a file for messages: "DIR/traces/000001.pb".
  std::string PathOf(std::string_view folder, std::string_view name) const;

  // Returns the names of the files in a folder ("" is the session itself), in
  // natural order. A missing folder is empty.
  virtual std::vector<std::string> List(std::string_view folder) = 0;
  virtual absl::StatusOr<std::shared_ptr<const loaders::InputFile>> Open(
      std::string_view folder, std::string_view name) = 0;
  // The account of all files of the session.
  virtual loaders::SourceAccount Account(const FileFates& fates) = 0;

 protected:
  explicit SessionFiles(std::string path) : path_(std::move(path)) {}

 private:
  const std::string path_;
};

// Returns whether a folder has facts about traces. Only sessions have them, so
// it is a session even if its manifest is damaged.
bool HasTraceFacts(const std::string& folder);

}  // namespace tfprof::session

#endif  // TFPROF_LOADERS_SESSION_SESSION_FILES_H_
