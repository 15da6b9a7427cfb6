#include "bench/raw_parse.h"

#include <google/protobuf/arena.h>
#include <time.h>

#if __has_include(<rapidjson/reader.h>)
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#define TFPROF_HAS_RAPIDJSON 1
#else
#define TFPROF_HAS_RAPIDJSON 0
#endif

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "bench/xspace.pb.h"
#include "loaders/core/input_file.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "util/files/wire.h"

namespace tfprof {
namespace {

// The fields that hold messages. They are parsed too, so that all scalars are
// read.
struct Entered {
  uint32_t field;
  const Entered* below;  // ends with field 0
};
constexpr Entered kLeaf[] = {{0, nullptr}};
constexpr Entered kShape[] = {{2, kLeaf}, {0, nullptr}};
constexpr Entered kTensor[] = {{2, kShape}, {4, kLeaf}, {0, nullptr}};
constexpr Entered kOutput[] = {{3, kTensor}, {0, nullptr}};
constexpr Entered kMemory[] = {{6, kLeaf}, {0, nullptr}};
constexpr Entered kNodeStats[] = {
    {6, kMemory}, {7, kOutput}, {11, kLeaf}, {12, kLeaf}, {0, nullptr}};
constexpr Entered kDevice[] = {{2, kNodeStats}, {0, nullptr}};
constexpr Entered kStep[] = {{1, kDevice}, {0, nullptr}};
constexpr Entered kRunMetadata[] = {{1, kStep}, {0, nullptr}};
constexpr Entered kList[] = {{7, kShape}, {0, nullptr}};
constexpr Entered kAttrValue[] = {{1, kList}, {7, kShape}, {0, nullptr}};
constexpr Entered kAttr[] = {{2, kAttrValue}, {0, nullptr}};
constexpr Entered kNode[] = {{5, kAttr}, {0, nullptr}};
constexpr Entered kGraph[] = {{1, kNode}, {0, nullptr}};
constexpr Entered kEvent[] = {{4, kLeaf}, {0, nullptr}};
constexpr Entered kLine[] = {{4, kEvent}, {0, nullptr}};
constexpr Entered kMetadata[] = {{5, kLeaf}, {0, nullptr}};
constexpr Entered kMetadataEntry[] = {{2, kMetadata}, {0, nullptr}};
constexpr Entered kPlane[] = {{3, kLine},
                              {4, kMetadataEntry},
                              {5, kMetadataEntry},
                              {6, kLeaf},
                              {0, nullptr}};
constexpr Entered kXSpace[] = {{1, kPlane}, {0, nullptr}};

const Entered* Find(const Entered* fields, uint32_t number) {
  for (; fields->field != 0; ++fields) {
    if (fields->field == number) return fields->below;
  }
  return nullptr;
}

// The recursion is at most eight levels deep, like the tables above.
uint64_t TouchWire(std::string_view bytes, const Entered* fields) {
  uint64_t sum = 0;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (!r.is_length()) {
      sum += r.value();
    } else if (const Entered* below = Find(fields, r.number())) {
      sum += TouchWire(r.view(), below);
    } else {
      sum += r.view().size();
    }
  }
  return sum;
}

uint64_t TouchProtozero(protozero::pbf_reader r, const Entered* fields) {
  uint64_t sum = 0;
  while (r.next()) {
    switch (r.wire_type()) {
      case protozero::pbf_wire_type::varint:
        sum += r.get_uint64();
        break;
      case protozero::pbf_wire_type::length_delimited:
        if (const Entered* below = Find(fields, r.tag())) {
          sum += TouchProtozero(r.get_message(), below);
        } else {
          sum += r.get_view().size();
        }
        break;
      default:
        r.skip();
    }
  }
  return sum;
}

template <typename Message>
uint64_t ParseOnArena(std::string_view bytes) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Message>(&arena);
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

#if TFPROF_HAS_RAPIDJSON
// Visits all values of a file and adds them up.
struct SaxHandler {
  bool Null() { return Add(1); }
  bool Bool(bool value) { return Add(value); }
  bool Int(int value) { return Add(static_cast<uint64_t>(value)); }
  bool Uint(unsigned value) { return Add(value); }
  bool Int64(int64_t value) { return Add(static_cast<uint64_t>(value)); }
  bool Uint64(uint64_t value) { return Add(value); }
  bool Double(double value) { return Add(static_cast<uint64_t>(value)); }
  bool RawNumber(const char*, unsigned size, bool) { return Add(size); }
  bool String(const char*, unsigned size, bool) { return Add(size); }
  bool StartObject() { return true; }
  bool Key(const char*, unsigned size, bool) { return Add(size); }
  bool EndObject(unsigned) { return true; }
  bool StartArray() { return true; }
  bool EndArray(unsigned) { return true; }

  bool Add(uint64_t value) {
    sum += value;
    return true;
  }
  uint64_t sum = 0;
};
#endif

double ThreadCpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::vector<double> RawParse(const std::vector<std::string>& paths,
                             RawParser parser) {
  uint64_t sum = 0;
  const double start = ThreadCpuSeconds();
  for (const std::string& path : paths) {
    const auto file = loaders::InputFile::Open(path);
    if (!file.ok()) continue;
    const std::string_view bytes = (*file)->bytes();
    const bool graph = &path == &paths.back();
    const Entered* fields = graph ? kGraph : kRunMetadata;
    switch (parser) {
      case RawParser::kWireReader:
        sum += TouchWire(bytes, fields);
        break;
      case RawParser::kProtozero:
        sum += TouchProtozero(protozero::pbf_reader(bytes.data(), bytes.size()),
                              fields);
        break;
      case RawParser::kArena:
        sum += graph ? ParseOnArena<proto::GraphDef>(bytes)
                     : ParseOnArena<proto::RunMetadata>(bytes);
        break;
    }
  }
  return {ThreadCpuSeconds() - start, static_cast<double>(sum)};
}

std::vector<double> RawParseXSpace(const std::string& path, RawParser parser) {
  const double start = ThreadCpuSeconds();
  const auto file = loaders::InputFile::Open(path);
  if (!file.ok()) return {0, 0};
  const std::string_view bytes = (*file)->bytes();
  uint64_t sum = 0;
  switch (parser) {
    case RawParser::kWireReader:
      sum = TouchWire(bytes, kXSpace);
      break;
    case RawParser::kProtozero:
      sum = TouchProtozero(protozero::pbf_reader(bytes.data(), bytes.size()),
                           kXSpace);
      break;
    case RawParser::kArena:
      sum = ParseOnArena<bench::XSpace>(bytes);
      break;
  }
  return {ThreadCpuSeconds() - start, static_cast<double>(sum)};
}

bool HasRawJsonParser() { return TFPROF_HAS_RAPIDJSON != 0; }

std::vector<double> RawParseJson(const std::string& path) {
#if TFPROF_HAS_RAPIDJSON
  const double start = ThreadCpuSeconds();
  const auto file = loaders::InputFile::Open(path);
  if (!file.ok()) return {0, 0};
  const std::string_view bytes = (*file)->bytes();
  rapidjson::MemoryStream stream(bytes.data(), bytes.size());
  rapidjson::Reader reader;
  SaxHandler handler;
  reader.Parse(stream, handler);
  return {ThreadCpuSeconds() - start, static_cast<double>(handler.sum)};
#else
  (void)path;
  return {0, 0};
#endif
}

}  // namespace tfprof
