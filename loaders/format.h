// Which kind of file is it? Content decides, never the name.
//
// Protobuf messages carry no magic number: a binary file is matched against
// the first fields of each message that we read (tags, wire types, nesting,
// strings that must be text), and is what it fits best. A bounded number of
// fields is looked at, so a file of any size is sniffed in microseconds. Text
// files are known by the name of their first field.
//
// A new input format is a folder beside this file, an entry here, and a line
// in load.cc.

#ifndef TFPROF_LOADERS_FORMAT_H_
#define TFPROF_LOADERS_FORMAT_H_

#include <string_view>

namespace tfprof {

enum class Format {
  kUnknown,
  kGraphDef,
  kRunMetadata,
  kOpLog,
  kProfileProto,
  kCheckpoint,  // an index of format V2 or a file of format V1
};

struct Sniffed {
  Format format = Format::kUnknown;
  bool text = false;  // protobuf text format
};

Sniffed SniffFormat(std::string_view bytes);

// Whether binary `bytes` could be a `format`, though they may fit another one
// better: a small message fits several.
bool MayBe(std::string_view bytes, Format format);

// "GraphDef", for messages.
std::string_view FormatName(Format format);
// "--graph_path", the flag that names such a file.
std::string_view FormatFlag(Format format);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_FORMAT_H_
