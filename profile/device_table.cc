#include "profile/device_table.h"

namespace tfprof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool EndsWith(std::string_view s, std::string_view tail) {
  return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail;
}

// FullMatch of ".*/(device:gpu|gpu|device:cpu|cpu):\d+". By hand, because one
// file may name 100,000 devices; `.` does not match a newline.
bool IsCanonical(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && IsDigit(name[name.size() - 1 - digits])) {
    ++digits;
  }
  if (digits == 0) return false;
  name.remove_suffix(digits);
  if (!EndsWith(name, "/device:gpu:") && !EndsWith(name, "/gpu:") &&
      !EndsWith(name, "/device:cpu:") && !EndsWith(name, "/cpu:")) {
    return false;
  }
  return name.find('\n') == std::string_view::npos;
}

}  // namespace

std::string LowerCase(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

Device ClassifyDevice(std::string_view any_case) {
  const std::string name = LowerCase(any_case);
  Device device;
  device.canonical = IsCanonical(name);
  device.accelerator_stream = name.find("stream:all") != std::string::npos;
  device.on_gpu = name.find("gpu") != std::string::npos;
  device.on_cpu = name.find("cpu") != std::string::npos;
  return device;
}

std::string HostDevice(std::string_view name) {
  std::string host;
  while (!name.empty()) {
    if (name.substr(0, 4) == "gpu:" && name.size() > 4 && IsDigit(name[4])) {
      size_t end = 5;
      while (end < name.size() && IsDigit(name[end])) ++end;
      host += "cpu:0";
      name.remove_prefix(end);
    } else {
      host += name.front();
      name.remove_prefix(1);
    }
  }
  return host;
}

DeviceId DeviceTable::Intern(std::string_view name) {
  const DeviceId id = names_.Intern(LowerCase(name));
  if (id == devices_.size()) devices_.push_back(ClassifyDevice(name));
  return id;
}

}  // namespace tfprof
