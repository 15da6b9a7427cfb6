// Prints the file `metadata` of a trace in the language of CTF 1.8 (TSDL).

#ifndef TFPROF_RECORD_METADATA_H_
#define TFPROF_RECORD_METADATA_H_

#include <cstdint>
#include <string_view>

#include "record/text_buffer.h"

namespace tfprof::record {

struct TraceDescription {
  const uint8_t* uuid = nullptr;  // 16 bytes
  std::string_view host;
  std::string_view program;
  uint32_t process = 0;
  // CLOCK_MONOTONIC plus this offset is nanoseconds since 1970.
  uint64_t clock_offset = 0;
  // The boot id of the system in hexadecimal; may be empty.
  std::string_view boot_id;
};

using MetadataText = TextBuffer<16000>;

void PrintMetadata(const TraceDescription& trace, MetadataText& out);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_METADATA_H_
