#include "loaders/chrome_json/kineto/envelope.h"

#include <string_view>
#include <utility>

#include "util/decimal.h"
#include "util/json_reader.h"

namespace tfprof {
namespace {

// More than any machine or report has; the rest is not kept.
constexpr size_t kMaxDevices = 4096;
constexpr size_t kMaxErrors = 16;

std::string Decoded(std::string_view raw) {
  std::string buffer;
  return std::string(DecodeJsonString(raw, buffer));
}

// The text of a scalar, without quotes; "" for other values.
std::string Scalar(std::string_view value) {
  JsonReader r(value);
  std::string_view raw;
  return r.ReadScalar(raw) ? Decoded(raw) : "";
}

int64_t Integer(std::string_view value, int64_t otherwise) {
  return ParseDecimal(Scalar(value)).value_or(otherwise);
}

// Calls f(key, value) for the members of an object.
template <typename F>
void VisitMembers(std::string_view object, F f) {
  JsonReader r(object);
  std::string_view key;
  for (bool in = r.EnterObject(); in && r.NextMember(key);) {
    const std::string_view name = key;
    f(name, r.Skip());
  }
}

void ReadDevices(std::string_view array, std::vector<KinetoDevice>& devices) {
  JsonReader r(array);
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

void ReadErrors(std::string_view array, std::vector<std::string>& errors) {
  JsonReader r(array);
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

KinetoEnvelope ReadKinetoEnvelope(std::span<const TopMember> members) {
  KinetoEnvelope envelope;
  for (const TopMember& member : members) {
    const std::string_view key = member.key, value = member.value;
    if (key == "baseTimeNanoseconds") {
      envelope.base_nanos = Integer(value, 0);
    } else if (key == "host_name") {
      envelope.host = Scalar(value);
    } else if (key == "distributedInfo") {
      VisitMembers(value, [&](std::string_view name, std::string_view text) {
        if (name == "rank") envelope.rank = Integer(text, -1);
        if (name == "world_size") envelope.world_size = Integer(text, -1);
      });
    } else if (key == "deviceProperties" || key == "computeProperties") {
      ReadDevices(value, envelope.devices);
    } else if (key == "ERROR") {
      ReadErrors(value, envelope.errors);
    }
  }
  return envelope;
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

}  // namespace tfprof
