#include "loaders/chrome_json/kineto/envelope.h"

#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "util/json/json_reader.h"
#include "util/text/decimal.h"
#include "util/text/safe_text.h"

namespace tfprof::kineto {
namespace {

// More than any machine or report has; further entries are dropped.
constexpr size_t kMaxDevices = 4096;
constexpr size_t kMaxErrors = 16;
constexpr size_t kMaxGroups = 256;
constexpr size_t kMaxRanks = 1 << 20;
// The most ranges of ranks in the text about a group.
constexpr size_t kMaxRanges = 8;

std::string Decoded(std::string_view raw) {
  std::string buffer;
  return std::string(util::DecodeJsonString(raw, buffer));
}

// Returns the text of a scalar without quotes; "" for other values.
std::string Scalar(std::string_view value) {
  util::JsonReader r(value);
  std::string_view raw;
  return r.ReadScalar(raw) ? Decoded(raw) : "";
}

int64_t Integer(std::string_view value, int64_t otherwise) {
  return util::ParseDecimal(Scalar(value)).value_or(otherwise);
}

// Calls f(key, value) for each member of an object.
template <typename F>
void VisitMembers(std::string_view object, F f) {
  util::JsonReader r(object);
  std::string_view key;
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    const std::string_view name = key;
    f(name, r.Skip());
  }
}

void ReadDevices(std::string_view array, std::vector<KinetoDevice>& devices) {
  util::JsonReader r(array);
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    KinetoDevice device;
    VisitMembers(r.Skip(), [&](std::string_view key, std::string_view value) {
      if (key == "id") device.id = Integer(value, -1);
      if (key == "name") device.name = Scalar(value);
      if (key == "totalGlobalMem") device.memory_bytes = Integer(value, 0);
    });
    if (devices.size() < kMaxDevices) devices.push_back(std::move(device));
  }
}

void ReadRanks(std::string_view array, std::vector<int64_t>& ranks) {
  util::JsonReader r(array);
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    const int64_t rank = Integer(r.Skip(), -1);
    if (rank >= 0 && ranks.size() < kMaxRanks) ranks.push_back(rank);
  }
}

void ReadGroups(std::string_view array, KinetoEnvelope& envelope) {
  util::JsonReader r(array);
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    KinetoGroup group;
    VisitMembers(r.Skip(), [&](std::string_view key, std::string_view value) {
      if (key == "pg_name") group.name = Scalar(value);
      if (key == "pg_desc") group.description = Scalar(value);
      if (key == "backend_config") group.backend = Scalar(value);
      if (key == "pg_size") group.size = Integer(value, -1);
      if (key == "ranks") ReadRanks(value, group.ranks);
    });
    if (envelope.groups.size() < kMaxGroups) {
      envelope.groups.push_back(std::move(group));
    } else {
      ++envelope.more_groups;
    }
  }
}

void ReadErrors(std::string_view array, std::vector<std::string>& errors) {
  util::JsonReader r(array);
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    std::string_view raw;
    if (!r.ReadScalar(raw)) {
      r.Skip();
    } else if (errors.size() < kMaxErrors) {
      errors.push_back(Decoded(raw));
    }
  }
}

}  // namespace

KinetoEnvelope ReadKinetoEnvelope(
    std::span<const chrome_json::TopMember> members) {
  KinetoEnvelope envelope;
  for (const chrome_json::TopMember& member : members) {
    const std::string_view key = member.key, value = member.value;
    if (key == "baseTimeNanoseconds") {
      envelope.base_nanos = Integer(value, 0);
    } else if (key == "host_name") {
      envelope.host = Scalar(value);
    } else if (key == "distributedInfo") {
      VisitMembers(value, [&](std::string_view name, std::string_view text) {
        if (name == "rank") envelope.rank = Integer(text, -1);
        if (name == "world_size") envelope.world_size = Integer(text, -1);
        if (name == "pg_config") ReadGroups(text, envelope);
      });
    } else if (key == "deviceProperties" || key == "computeProperties") {
      ReadDevices(value, envelope.devices);
    } else if (key == "ERROR") {
      ReadErrors(value, envelope.errors);
    }
  }
  return envelope;
}

std::string GroupText(const KinetoGroup& group) {
  std::string text = "process group ";
  util::AppendSafeText(group.name, &text);
  if (!group.description.empty()) {
    text += " (";
    util::AppendSafeText(group.description, &text);
    text += ')';
  }
  const int64_t size =
      group.size >= 0 ? group.size : static_cast<int64_t>(group.ranks.size());
  text += fmt::format(": {} rank{}", size, size == 1 ? "" : "s");
  size_t ranges = 0;
  for (size_t i = 0; i < group.ranks.size(); ++ranges) {
    size_t end = i + 1;
    while (end < group.ranks.size() &&
           group.ranks[end] - group.ranks[end - 1] == 1) {
      ++end;
    }
    text += ranges == 0 ? ": " : ",";
    if (ranges == kMaxRanges) {
      text += "…";
      break;
    }
    text += fmt::format("{}", group.ranks[i]);
    if (end > i + 1) text += fmt::format("-{}", group.ranks[end - 1]);
    i = end;
  }
  if (!group.backend.empty()) {
    text += ", ";
    util::AppendSafeText(group.backend, &text);
  }
  return text;
}

KinetoDevice FindKinetoDevice(const KinetoEnvelope& envelope, int64_t id) {
  const std::vector<KinetoDevice>& devices = envelope.devices;
  for (const KinetoDevice& device : devices) {
    if (device.id == id) return device;
  }
  for (const KinetoDevice& device : devices) {
    if (device.name != devices.front().name) return {};
  }
  return devices.empty() ? KinetoDevice()
                         : KinetoDevice{.name = devices.front().name};
}

}  // namespace tfprof::kineto
