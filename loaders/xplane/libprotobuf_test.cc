// Compares the reader of XSpaces with libprotobuf.
//
// The same bytes go two ways: through ReadXSpace() and ReadLine(), and through
// classes that protoc generated, from which a model of the events is made as
// naively as possible. Inputs are random XSpaces, and XSpaces with bytes
// changed, removed and added. What libprotobuf reads must be equal; what it
// rejects must be counted as damage, so that nothing is lost silently. The only
// exception is text that is not UTF-8: it is not damage here, because the names
// of a file may have any bytes.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/xspace.pb.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/xplane/lines/line_events.h"
#include "loaders/xplane/planes/xspace.h"
#include "loaders/xplane/xplane_testing.h"
#include "util/arithmetic.h"

namespace tfprof::xplane {
namespace {
namespace libprotobuf_test {

using Random = std::mt19937_64;

// The number of stat metadata that are compared.
constexpr int64_t kStatIds = 8;

// ---- What libprotobuf reads, as text.

const bench::XStatMetadata* Find(const bench::XPlane& plane, int64_t id) {
  const auto found = plane.stat_metadata().find(id);
  return found == plane.stat_metadata().end() ? nullptr : &found->second;
}

bool IsInteger(const bench::XStat& stat) {
  return stat.value_case() == bench::XStat::kUint64Value ||
         stat.value_case() == bench::XStat::kInt64Value;
}

uint64_t Bits(const bench::XStat& stat) {
  return stat.value_case() == bench::XStat::kUint64Value
             ? stat.uint64_value()
             : static_cast<uint64_t>(stat.int64_value());
}

// Finds the last integer that an event has under this name.
bool LastInteger(const bench::XPlane& plane, const bench::XEvent& event,
                 std::string_view name, uint64_t& bits) {
  bool found = false;
  for (const bench::XStat& stat : event.stats()) {
    const bench::XStatMetadata* metadata = Find(plane, stat.metadata_id());
    if (metadata == nullptr || metadata->name() != name || !IsInteger(stat)) {
      continue;
    }
    bits = Bits(stat);
    found = true;
  }
  return found;
}

std::string TextOf(const bench::XPlane& plane, const bench::XLine& line) {
  std::string text = fmt::format(
      "line {} '{}' at {}, {} events\n", line.id(),
      line.display_name().empty() ? line.name() : line.display_name(),
      line.timestamp_ns(), line.events_size());
  int64_t aggregated = 0, without_metadata = 0, negative = 0;
  const int64_t base = util::SaturatingMul(line.timestamp_ns(), 1000);
  for (const bench::XEvent& event : line.events()) {
    if (event.data_case() == bench::XEvent::kNumOccurrences) {
      ++aggregated;
      continue;
    }
    const auto metadata = plane.event_metadata().find(event.metadata_id());
    if (metadata == plane.event_metadata().end()) {
      ++without_metadata;
      continue;
    }
    negative += event.duration_ps() < 0;
    text += fmt::format("{} at {} for {}", metadata->second.name(),
                        util::SaturatingAdd(base, event.offset_ps()),
                        std::max<int64_t>(0, event.duration_ps()));
    for (const std::string_view name :
         {"correlation_id", "group_id", "step_num"}) {
      uint64_t bits = 0;
      if (LastInteger(plane, event, name, bits)) {
        text += fmt::format(" {}={}", name, bits);
      }
    }
    text += '\n';
  }
  return text + fmt::format("{} aggregated, {} without metadata, {} negative\n",
                            aggregated, without_metadata, negative);
}

std::string TextOf(const bench::XSpace& space) {
  std::string text;
  for (const std::string& host : space.hostnames()) text += host + '\n';
  for (const std::string& error : space.errors()) text += error + '\n';
  for (const std::string& warning : space.warnings()) text += warning + '\n';
  for (const bench::XPlane& plane : space.planes()) {
    text += fmt::format("plane {} '{}', {} stats\n", plane.id(), plane.name(),
                        plane.stats_size());
    // A map of libprotobuf has no order.
    std::vector<std::string> tables;
    for (const auto& [id, m] : plane.event_metadata()) {
      tables.push_back(fmt::format("event {} '{}' '{}', {} stats\n", id,
                                   m.name(), m.display_name(), m.stats_size()));
    }
    for (int64_t id = 0; id < kStatIds; ++id) {
      const bench::XStatMetadata* m = Find(plane, id);
      tables.push_back(
          fmt::format("stat {} '{}'\n", id, m == nullptr ? "" : m->name()));
    }
    std::sort(tables.begin(), tables.end());
    for (const std::string& line : tables) text += line;
    for (const bench::XLine& line : plane.lines()) text += TextOf(plane, line);
  }
  return text;
}

// ---- What our reader reads, as the same text.

struct Read {
  std::string text;
  bool damaged = false;
};

void AddLine(const XPlane& plane, const XLine& header, const char* file,
             Read& read) {
  const XLine* const part = &header;
  const LineEvents line = ReadLine({&part, 1}, plane, file, 0, nullptr);
  read.damaged |= line.damaged > 0 || line.damaged_stats > 0 || line.cut;
  read.text += fmt::format("line {} '{}' at {}, {} events\n", header.id,
                           header.name, header.timestamp_ns, header.num_events);
  auto correlation = line.correlations.begin();
  auto group = line.groups.begin();
  auto step = line.steps.begin();
  for (uint32_t i = 0; i < line.events.size(); ++i) {
    const Event& event = line.events[i];
    const EventMetadata& metadata = plane.events[line.keys[event.key].metadata];
    read.text += fmt::format("{} at {} for {}", metadata.name, event.start,
                             event.duration);
    if (correlation != line.correlations.end() && correlation->first == i) {
      read.text += fmt::format(" correlation_id={}", correlation++->second);
    }
    if (group != line.groups.end() && group->first == i) {
      read.text +=
          fmt::format(" group_id={}", static_cast<uint64_t>(group++->second));
    }
    if (step != line.steps.end() && step->first == i) {
      read.text +=
          fmt::format(" step_num={}", static_cast<uint64_t>(step++->second));
    }
    read.text += '\n';
  }
  read.text +=
      fmt::format("{} aggregated, {} without metadata, {} negative\n",
                  line.aggregated, line.without_metadata, line.negative);
}

Read ReadWithOurs(const std::string& bytes) {
  Read read;
  loaders::ImportLog log;
  const auto file = XPlaneInput(bytes);
  const XSpace space = ReadXSpace(*file, log);
  for (const auto* texts : {&space.hostnames, &space.errors, &space.warnings}) {
    for (const std::string_view text : *texts) {
      read.text += text;
      read.text += '\n';
    }
  }
  for (const XPlane& plane : space.planes) {
    read.text += fmt::format("plane {} '{}', {} stats\n", plane.id, plane.name,
                             plane.stats.size());
    std::vector<std::string> tables;
    for (size_t i = 0; i < plane.events.size(); ++i) {
      const EventMetadata& m = plane.events[i];
      // If two have the same id, the last one wins.
      if (plane.event_ids.Find(m.id) != i) continue;
      tables.push_back(fmt::format("event {} '{}' '{}', {} stats\n", m.id,
                                   m.name, m.display_name, m.stats.size()));
    }
    for (int64_t id = 0; id < kStatIds; ++id) {
      tables.push_back(
          fmt::format("stat {} '{}'\n", id, plane.stat_table.NameOf(id)));
    }
    std::sort(tables.begin(), tables.end());
    for (const std::string& line : tables) read.text += line;
    for (const XLine& line : plane.lines) {
      AddLine(plane, line, file->bytes().data(), read);
    }
  }
  read.damaged |= log.damaged();
  return read;
}

// ---- Bytes that libprotobuf rejects for another reason than UTF-8.

// The messages of XSpace, with bytes instead of texts.
class SchemaOfBytes {
 public:
  SchemaOfBytes() {
    google::protobuf::FileDescriptorProto file;
    bench::XSpace::descriptor()->file()->CopyTo(&file);
    file.set_name("xspace_of_bytes.proto");
    for (auto& message : *file.mutable_message_type()) {
      for (auto& field : *message.mutable_field()) {
        if (field.type() == field.TYPE_STRING) field.set_type(field.TYPE_BYTES);
      }
    }
    const auto* made = pool_.BuildFile(file);
    prototype_ = factory_.GetPrototype(
        made->FindMessageTypeByName(bench::XSpace::descriptor()->name()));
  }

  bool Accepts(const std::string& bytes) const {
    const std::unique_ptr<google::protobuf::Message> message(prototype_->New());
    return message->ParseFromString(bytes);
  }

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
  const google::protobuf::Message* prototype_ = nullptr;
};

// ---- Inputs.

int64_t Below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

// Usually small; rarely any size and sign.
int64_t Number(Random& random) {
  return random() % 16 == 0 ? static_cast<int64_t>(random())
                            : Below(random, 1000);
}

void SetValue(Random& random, bench::XStat& stat) {
  switch (random() % 6) {
    case 0:
      return stat.set_double_value(0.5);
    case 1:
      return stat.set_str_value("text");
    case 2:
      return stat.set_bytes_value("bytes");
    case 3:
      return stat.set_ref_value(1 + random() % 4);
    case 4:
      return stat.set_uint64_value(static_cast<uint64_t>(Number(random)));
    default:
      return stat.set_int64_value(Number(random));
  }
}

bench::XSpace RandomSpace(Random& random) {
  constexpr std::string_view kStats[] = {"correlation_id", "group_id",
                                         "step_num", "other"};
  bench::XSpace space;
  if (random() % 2) space.add_hostnames("host");
  if (random() % 4 == 0) space.add_errors("error");
  if (random() % 4 == 0) space.add_warnings("warning");
  for (int64_t p = Below(random, 4); p > 0; --p) {
    bench::XPlane& plane = *space.add_planes();
    plane.set_id(Number(random));
    plane.set_name(fmt::format("/plane:{}", p));
    const int64_t spread = random() % 4 == 0 ? 1'000'000'007 : 1;
    for (int64_t id = 0; id < 4; ++id) {
      auto& metadata = (*plane.mutable_event_metadata())[id * spread];
      metadata.set_id(id * spread);
      metadata.set_name(fmt::format("op.{}", id));
      if (random() % 2) metadata.set_display_name("shown");
      if (random() % 2) SetValue(random, *metadata.add_stats());
      (*plane.mutable_stat_metadata())[id + 1].set_name(
          std::string(kStats[id]));
    }
    for (int64_t s = Below(random, 3); s > 0; --s) {
      plane.add_stats()->set_metadata_id(Below(random, 6));
      SetValue(random, *plane.mutable_stats(plane.stats_size() - 1));
    }
    for (int64_t l = Below(random, 4); l > 0; --l) {
      bench::XLine& line = *plane.add_lines();
      line.set_id(Number(random));
      line.set_name("line");
      if (random() % 2) line.set_display_name("shown line");
      line.set_timestamp_ns(Number(random));
      for (int64_t e = Below(random, 12); e > 0; --e) {
        bench::XEvent& event = *line.add_events();
        event.set_metadata_id(Below(random, 5) * spread);
        event.set_duration_ps(Number(random));
        if (random() % 8 == 0) {
          event.set_num_occurrences(Below(random, 9));
        } else {
          event.set_offset_ps(Number(random));
        }
        for (int64_t s = Below(random, 4); s > 0; --s) {
          bench::XStat& stat = *event.add_stats();
          stat.set_metadata_id(Below(random, 7));
          SetValue(random, stat);
        }
      }
    }
  }
  return space;
}

// Makes a few changes of any kind.
std::string Mutated(Random& random, std::string bytes) {
  for (int64_t n = 1 + Below(random, 3); n > 0 && !bytes.empty(); --n) {
    const size_t at = random() % bytes.size();
    const size_t size = std::min<size_t>(random() % 8, bytes.size() - at);
    switch (random() % 6) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.erase(at, size);
        break;
      case 2:
        bytes.insert(at, std::string(size, static_cast<char>(random())));
        break;
      case 3:
        bytes.insert(random() % bytes.size(), bytes.substr(at, size));
        break;
      case 4:
        bytes[at] = static_cast<char>(random());
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
  }
  return bytes;
}

class LibprotobufTest : public testing::Test {
 protected:
  // libprotobuf logs to stderr what it rejects.
  google::protobuf::LogSilencer silencer_;
  SchemaOfBytes schema_;
};

TEST_F(LibprotobufTest, RandomSpacesAreTheSame) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const bench::XSpace space = RandomSpace(random);
    const Read read = ReadWithOurs(space.SerializeAsString());
    ASSERT_EQ(read.text, TextOf(space)) << "space " << i;
    ASSERT_FALSE(read.damaged) << "space " << i;
  }
}

TEST_F(LibprotobufTest, WhatLibprotobufReadsOfDamagedBytesIsTheSame) {
  Random random(2);
  int read_by_both = 0, refused = 0, stricter = 0;
  for (int i = 0; i < 8'000; ++i) {
    const std::string bytes =
        Mutated(random, RandomSpace(random).SerializeAsString());
    bench::XSpace space;
    const Read read = ReadWithOurs(bytes);
    if (space.ParseFromString(bytes)) {
      // libprotobuf ignores the bits of a tag after the 32nd; our reader treats
      // such a tag as damage.
      if (read.damaged) {
        ++stricter;
        continue;
      }
      ++read_by_both;
      ASSERT_EQ(read.text, TextOf(space)) << "bytes " << i;
    } else if (!schema_.Accepts(bytes)) {
      ++refused;
      ASSERT_TRUE(read.damaged) << "bytes " << i << '\n' << read.text;
    }
  }
  // Makes sure that the test compares something.
  EXPECT_GT(read_by_both, 1000);
  EXPECT_GT(refused, 1000);
  EXPECT_LT(stricter, 10);
}

TEST_F(LibprotobufTest, EachBeginOfAFile) {
  Random random(3);
  for (int i = 0; i < 6; ++i) {
    const std::string bytes = RandomSpace(random).SerializeAsString();
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string begin = bytes.substr(0, size);
      const Read read = ReadWithOurs(begin);
      EXPECT_EQ(read.damaged, !schema_.Accepts(begin))
          << "space " << i << ", " << size << " bytes";
    }
  }
}

}  // namespace libprotobuf_test
}  // namespace
}  // namespace tfprof::xplane
