// PacketLog: counts what a trace lost, with the place of it, in the log of the
// load.
//
// A place is the byte in the file, or the byte in packets that were unpacked
// and the byte of these in the file. Owns nothing; `state` has the bytes.

#ifndef TFPROF_LOADERS_PERFETTO_PACKET_LOG_H_
#define TFPROF_LOADERS_PERFETTO_PACKET_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/core/import_log.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

class PacketLog {
 public:
  PacketLog(const TraceState& state, loaders::ImportLog& log)
      : state_(state), log_(log) {}

  // `at` is a view into the bytes of the trace; `what` says what is there, what
  // was done about it and, if there is something, what to do.
  void Damage(std::string_view kind, std::string_view at,
              std::string_view what) {
    Add(loaders::ImportLog::kDamage, kind, at, what);
  }
  void Notice(std::string_view kind, std::string_view at,
              std::string_view what) {
    Add(loaders::ImportLog::kNotice, kind, at, what);
  }

  // Returns "byte 12", or "byte 3 of the packets unpacked from byte 100".
  std::string PlaceOf(std::string_view at) const;

 private:
  void Add(loaders::ImportLog::Severity severity, std::string_view kind,
           std::string_view at, std::string_view what);

  const TraceState& state_;
  loaders::ImportLog& log_;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_PACKET_LOG_H_
