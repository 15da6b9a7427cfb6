#include "record/recording_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "record/event_types.h"
#include "record/sink.h"
#include "record/thread_stream.h"

namespace tfprof::record {
namespace {

// Takes values from the beginning of the bytes. Missing bytes fail the test.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }

  template <typename T>
  T Take() {
    T value = {};
    EXPECT_GE(bytes_.size(), sizeof(T));
    if (bytes_.size() < sizeof(T)) {
      bytes_ = {};
      return value;
    }
    memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  std::string TakeText() {
    const size_t size = bytes_.find('\0');
    EXPECT_NE(size, bytes_.npos) << "a text without an end";
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(std::min(bytes_.size(), text.size() + 1));
    return text;
  }

 private:
  std::string_view bytes_;
};

void PrintField(const Field& field, Bytes& bytes, std::ostream& out) {
  out << ' ' << field.name << '=';
  switch (field.type) {
    case FieldType::kU8:
      out << int{bytes.Take<uint8_t>()};
      break;
    case FieldType::kU16:
      out << bytes.Take<uint16_t>();
      break;
    case FieldType::kU32:
      out << bytes.Take<uint32_t>();
      break;
    case FieldType::kI32:
      out << bytes.Take<int32_t>();
      break;
    case FieldType::kU64:
      out << bytes.Take<uint64_t>();
      break;
    case FieldType::kI64:
      out << bytes.Take<int64_t>();
      break;
    case FieldType::kF64:
      out << bytes.Take<double>();
      break;
    case FieldType::kText:
      out << bytes.TakeText();
      break;
  }
}

std::vector<std::string> PrintEvents(const PacketHead& head, Bytes bytes) {
  std::vector<std::string> events;
  uint64_t count = 0;
  uint64_t last = head.timestamp_begin;
  for (; !bytes.empty(); ++count) {
    const auto id = bytes.Take<uint8_t>();
    const auto time = bytes.Take<uint64_t>();
    EXPECT_LT(id, std::size(kEventTypes));
    if (id >= std::size(kEventTypes)) break;
    EXPECT_GE(time, last);
    last = time;
    const EventType& type = *kEventTypes[id];
    std::ostringstream text;
    text << type.name;
    for (int i = 0; i < type.num_fields(); ++i) {
      PrintField(type.fields[i], bytes, text);
    }
    if (&type != &kClocks) events.push_back(text.str());
  }
  EXPECT_EQ(count, head.events);
  EXPECT_EQ(last, head.timestamp_end);
  return events;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Recording::Recording(uint64_t packet_bytes, uint64_t max_bytes) {
  std::string path = ::testing::TempDir() + "/recording_XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  folder_ = std::filesystem::canonical(path).string();
  Resume();
  StartRecording(folder_.c_str(), packet_bytes, max_bytes);
}

Recording::~Recording() {
  Pause();  // other tests must not record into a deleted folder
  std::filesystem::remove_all(folder_);
}

std::vector<std::string> Recording::Processes() const {
  std::vector<std::string> processes;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    processes.push_back(entry.path().string());
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

std::vector<ReadPacket> Recording::Packets() const {
  std::vector<ReadPacket> packets;
  for (const std::string& process : Processes()) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(process)) {
      if (entry.path().filename() != "metadata") files.push_back(entry.path());
    }
    const auto place_of = [](const std::filesystem::path& path) {
      const std::string name = path.filename().string();
      const size_t line = name.find('_');
      return std::make_pair(std::stoi(name.substr(line + 1)), name);
    };
    std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) {
      return place_of(a) < place_of(b);
    });
    for (const std::filesystem::path& file : files) {
      const std::string all = ReadAll(file);
      for (size_t at = 0; at < all.size();) {
        ReadPacket packet;
        packet.file = file.filename().string();
        EXPECT_GE(all.size() - at, sizeof(packet.head));
        memcpy(&packet.head, all.data() + at, sizeof(packet.head));
        EXPECT_EQ(packet.head.magic, kPacketMagic);
        if (packet.head.magic != kPacketMagic) break;
        const size_t content = packet.head.content_size / 8;
        const size_t size = packet.head.packet_size / 8;
        EXPECT_LE(content, size);
        EXPECT_LE(at + size, all.size());
        packet.events = PrintEvents(
            packet.head,
            Bytes(std::string_view(all).substr(at + sizeof(PacketHead),
                                               content - sizeof(PacketHead))));
        packets.push_back(std::move(packet));
        at += size;
      }
    }
  }
  return packets;
}

std::vector<std::string> Recording::Events() const {
  std::vector<std::string> events;
  for (const ReadPacket& packet : Packets()) {
    events.insert(events.end(), packet.events.begin(), packet.events.end());
  }
  return events;
}

}  // namespace tfprof::record
