// Gzip: the container of compressed traces and of pprof's profiles.
//
//   GzipSink gzip(file);
//   Write(gzip);
//   const absl::Status status = gzip.Finish();
//
// The output is one member with zlib's default strategy, and without a name or
// a time in its header: equal input gives equal output. It is written piece by
// piece. Errors: ResourceExhausted if there is not enough memory. The sink
// below reports errors of writing.

#ifndef TFPROF_UTIL_GZIP_H_
#define TFPROF_UTIL_GZIP_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "util/sink.h"

namespace tfprof {

// How hard zlib looks for repetitions. kFast takes a third of the time and
// gives numbers of varying length that are 5 to 8 % longer.
enum class GzipLevel { kDefault, kFast };

// Compresses what is written to it into another sink, which must outlive it.
class GzipSink : public Sink {
 public:
  explicit GzipSink(Sink& below, GzipLevel level = GzipLevel::kDefault);
  ~GzipSink() override;

  void Write(std::string_view bytes) override;
  void Reached(double share) override { below_.Reached(share); }
  bool wanted() const override { return below_.wanted(); }

  // Writes what is left. To be called once, after the last Write().
  absl::Status Finish();

 private:
  struct Stream;

  void Deflate(std::string_view bytes, bool last);

  Sink& below_;
  std::unique_ptr<Stream> stream_;  // nullptr: there was no memory for it
};

absl::Status GzipCompress(std::string_view bytes, Sink& sink,
                          GzipLevel level = GzipLevel::kDefault);

}  // namespace tfprof

#endif  // TFPROF_UTIL_GZIP_H_
