// Prints the LTTng-UST tracepoints for the events of event_types.h.
//
// Usage: print_provider HEADER SOURCE
//
// HEADER declares the tracepoints. SOURCE defines tfprof_lttng_emit(), which
// fires one of them: the recorder passes it the packed fields of an event.

#include <cstdio>
#include <cstdlib>

#include "record/event_types.h"

namespace tfprof::record {
namespace {

bool IsText(const Field& field) { return field.type == FieldType::kText; }

const char* TypeOf(const Field& field) {
  return TypeName(field.type, "double", "const char*");
}

void PrintHeader(FILE* out) {
  fputs(
      "#undef LTTNG_UST_TRACEPOINT_PROVIDER\n"
      "#define LTTNG_UST_TRACEPOINT_PROVIDER tfprof\n"
      "#undef LTTNG_UST_TRACEPOINT_INCLUDE\n"
      "#define LTTNG_UST_TRACEPOINT_INCLUDE \"provider_events.h\"\n"
      "#if !defined(PROVIDER_EVENTS_H_) || "
      "defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)\n"
      "#define PROVIDER_EVENTS_H_\n"
      "#include <lttng/tracepoint.h>\n#include <stdint.h>\n"
      "#ifndef PROVIDER_STRUCTURES_\n#define PROVIDER_STRUCTURES_\n",
      out);
  for (const EventType* event : kEventTypes) {
    fprintf(out, "struct tfprof_%s {\n", event->name);
    for (int i = 0; i < event->num_fields(); ++i) {
      fprintf(out, "  %s %s;\n", TypeOf(event->fields[i]),
              event->fields[i].name);
    }
    fputs("};\n", out);
  }
  fputs("#endif\n", out);
  for (const EventType* event : kEventTypes) {
    fprintf(out,
            "LTTNG_UST_TRACEPOINT_EVENT(tfprof, %s,\n"
            "    LTTNG_UST_TP_ARGS(const struct tfprof_%s*, e),\n"
            "    LTTNG_UST_TP_FIELDS(\n",
            event->name, event->name);
    for (int i = 0; i < event->num_fields(); ++i) {
      const Field& field = event->fields[i];
      if (IsText(field)) {
        fprintf(out, "        lttng_ust_field_string(%s, e->%s)\n", field.name,
                field.name);
      } else {
        fprintf(out, "        lttng_ust_field_%s(%s, %s, e->%s)\n",
                field.type == FieldType::kF64 ? "float" : "integer",
                TypeOf(field), field.name, field.name);
      }
    }
    fputs("    ))\n", out);
  }
  fputs("#endif\n#include <lttng/tracepoint-event.h>\n", out);
}

void PrintSource(FILE* out) {
  fputs(
      "#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n"
      "#define LTTNG_UST_TRACEPOINT_DEFINE\n"
      "#include \"provider_events.h\"\n#include <string.h>\n\n"
      "__attribute__((visibility(\"default\"))) void tfprof_lttng_emit(\n"
      "    uint8_t id, const char* at) {\n  switch (id) {\n",
      out);
  for (const EventType* event : kEventTypes) {
    fprintf(out, "    case %d: {\n      struct tfprof_%s e;\n", int{event->id},
            event->name);
    for (int i = 0; i < event->num_fields(); ++i) {
      const char* const name = event->fields[i].name;
      if (IsText(event->fields[i])) {
        fprintf(out, "      e.%s = at;\n      at += strlen(at) + 1;\n", name);
      } else {
        fprintf(out,
                "      memcpy(&e.%s, at, sizeof(e.%s));\n"
                "      at += sizeof(e.%s);\n",
                name, name, name);
      }
    }
    fprintf(out, "      lttng_ust_tracepoint(tfprof, %s, &e);\n      break;\n",
            event->name);
    fputs("    }\n", out);
  }
  fputs("  }\n}\n", out);
}

}  // namespace
}  // namespace tfprof::record

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  FILE* const header = fopen(argv[1], "w");
  FILE* const source = fopen(argv[2], "w");
  if (header == nullptr || source == nullptr) return EXIT_FAILURE;
  tfprof::record::PrintHeader(header);
  tfprof::record::PrintSource(source);
  const int failed = fclose(header);
  return fclose(source) == 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
