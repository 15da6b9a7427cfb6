#include "record/metadata.h"

#include "record/event_types.h"
#include "record/packet.h"

namespace tfprof::record {
namespace {

void PrintHex(const uint8_t* bytes, uint32_t from, uint32_t to,
              MetadataText& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (uint32_t i = from; i < to; ++i) {
    out << kDigits[bytes[i] >> 4] << kDigits[bytes[i] & 15];
  }
}

void PrintUuid(const uint8_t* uuid, MetadataText& out) {
  constexpr uint32_t kEnds[] = {4, 6, 8, 10, 16};
  uint32_t from = 0;
  for (const uint32_t to : kEnds) {
    if (from > 0) out << '-';
    PrintHex(uuid, from, to, out);
    from = to;
  }
}

// Prints a text that stands in quotes. Characters that have a meaning there,
// and control characters, become "_".
void PrintText(std::string_view text, MetadataText& out) {
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c != '"' && c != '\\' && c != 127;
    out << (is_plain || (c & 0x80) != 0 ? c : '_');
  }
}

}  // namespace

void PrintMetadata(const TraceDescription& trace, MetadataText& out) {
  out << "/* CTF 1.8 */\n\n";
  for (const uint32_t bits : {8U, 16U, 32U, 64U}) {
    out << "typealias integer { size = " << bits
        << "; align = 8; signed = false; } := uint" << bits << "_t;\n";
  }
  for (const uint32_t bits : {32U, 64U}) {
    out << "typealias integer { size = " << bits
        << "; align = 8; signed = true; } := int" << bits << "_t;\n";
  }
  out << "typealias integer { size = 8; align = 8; signed = false; "
         "encoding = UTF8; } := char_t;\n"
         "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } "
         ":= double_t;\n\n"
         "trace {\n  major = 1;\n  minor = 8;\n  uuid = \"";
  PrintUuid(trace.uuid, out);
  out << "\";\n  byte_order = "
      << (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be")
      << ";\n  packet.header := struct {\n"
         "    uint32_t magic;\n    uint8_t uuid[16];\n"
         "    uint32_t stream_id;\n    uint64_t stream_instance_id;\n"
         "  };\n};\n\n"
         "env {\n  hostname = \"";
  PrintText(trace.host, out);
  out << "\";\n  domain = \"ust\";\n  tracer_name = \"tfprof\";\n"
         "  tracer_major = 1;\n  tracer_minor = 0;\n"
         "  tracer_buffering_scheme = \"pid\";\n  tracer_buffering_id = "
      << trace.process << ";\n  procname = \"";
  PrintText(trace.program, out);
  out << "\";\n  vpid = " << trace.process
      << ";\n};\n\n"
         "clock {\n  name = \"monotonic\";\n";
  if (!trace.boot_id.empty()) {
    out << "  uuid = \"" << trace.boot_id << "\";\n";
  }
  out << "  description = \"CLOCK_MONOTONIC\";\n  freq = 1000000000;\n"
         "  offset_s = "
      << trace.clock_offset / 1000000000
      << ";\n  offset = " << trace.clock_offset % 1000000000
      << ";\n  absolute = true;\n};\n\n"
         "typealias integer {\n  size = 64; align = 8; signed = false;\n"
         "  map = clock.monotonic.value;\n} := time_t;\n\n"
         "stream {\n  id = 0;\n"
         "  packet.context := struct {\n"
         "    time_t timestamp_begin;\n    time_t timestamp_end;\n"
         "    uint64_t content_size;\n    uint64_t packet_size;\n"
         "    uint64_t packet_seq_num;\n    uint64_t events_discarded;\n"
         "    uint64_t events;\n    uint32_t vpid;\n    uint32_t vtid;\n"
         "    char_t procname["
      << kNameBytes
      << "];\n  };\n"
         "  event.header := struct {\n    uint8_t id;\n"
         "    time_t timestamp;\n  };\n};\n";
  for (const EventType* event : kEventTypes) {
    out << "\nevent {\n  name = \"" << kProvider << event->name
        << "\";\n  id = " << uint32_t{event->id}
        << ";\n  stream_id = 0;\n  fields := struct {\n";
    for (int i = 0; i < event->num_fields(); ++i) {
      // A name may be a keyword, such as "string". Readers drop the underscore.
      out << "    " << TypeName(event->fields[i].type, "double_t", "string")
          << " _" << event->fields[i].name << ";\n";
    }
    out << "  };\n};\n";
  }
}

}  // namespace tfprof::record
