// Writes gzip, the format of compressed traces and of pprof profiles.
//
//   GzipSink gzip(file);
//   Write(gzip);
//   const absl::Status status = gzip.Finish();
//
// The output is one member with zlib's default strategy. Its header has no name
// and no time, so equal input gives equal output. The output is written piece
// by piece. Errors: ResourceExhausted if there is not enough memory. The
// underlying sink reports write errors.

#ifndef TFPROF_UTIL_FILES_GZIP_H_
#define TFPROF_UTIL_FILES_GZIP_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "util/files/sink.h"

namespace tfprof::util {

// The compression effort. kFast takes a third of the time; its output for
// varints is 5 to 8 % longer.
enum class GzipLevel { kDefault, kFast };

// Compresses its input into another sink, which must outlive it.
class GzipSink : public Sink {
 public:
  explicit GzipSink(Sink& below, GzipLevel level = GzipLevel::kDefault);
  ~GzipSink() override;

  void Write(std::string_view bytes) override;
  void Reached(double share) override { below_.Reached(share); }
  bool wanted() const override { return below_.wanted(); }

  // Writes the remaining bytes. Call it once, after the last Write().
  absl::Status Finish();

 private:
  struct Stream;

  void Deflate(std::string_view bytes, bool last);

  Sink& below_;
  std::unique_ptr<Stream> stream_;  // nullptr: out of memory
};

absl::Status GzipCompress(std::string_view bytes, Sink& sink,
                          GzipLevel level = GzipLevel::kDefault);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_GZIP_H_
