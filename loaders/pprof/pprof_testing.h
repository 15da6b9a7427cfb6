// Makes pprof files for tests.
//
//   PprofMaker maker(PprofMaker::Types{{"cpu", "nanoseconds"}});
//   maker.Sample({1, 2}, {100});           // locations, values
//   maker.Location(1, maker.Function("f", "a.py"), 12);
//   std::string bytes = maker.Bytes();

#ifndef TFPROF_LOADERS_PPROF_PPROF_TESTING_H_
#define TFPROF_LOADERS_PPROF_PPROF_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/files/wire_writer.h"

namespace tfprof::pprof {

class PprofMaker {
 public:
  // The types and units of the values.
  using Types = std::vector<std::pair<std::string, std::string>>;
  explicit PprofMaker(const Types& types) {
    String("");
    for (const auto& [type, unit] : types) {
      const util::WireMessage m(w_, 1);
      w_.Uint64(1, String(type));
      w_.Uint64(2, String(unit));
    }
  }

  // Returns the index of a string.
  uint64_t String(std::string_view s) {
    strings_.emplace_back(s);
    return strings_.size() - 1;
  }

  void Sample(const std::vector<int64_t>& locations,
              const std::vector<int64_t>& values) {
    const util::WireMessage m(w_, 2);
    w_.PackedInt64(1, locations);
    w_.PackedInt64(2, values);
  }
  // Adds a sample with a label.
  void Sample(const std::vector<int64_t>& locations,
              const std::vector<int64_t>& values, std::string_view key,
              std::string_view text) {
    const uint64_t key_index = String(key), text_index = String(text);
    const util::WireMessage m(w_, 2);
    w_.PackedInt64(1, locations);
    w_.PackedInt64(2, values);
    const util::WireMessage label(w_, 3);
    w_.Uint64(1, key_index);
    w_.Uint64(2, text_index);
  }

  // Returns the id of a function.
  uint64_t Function(std::string_view name, std::string_view file) {
    const uint64_t id = ++num_functions_;
    const uint64_t name_index = String(name), file_index = String(file);
    const util::WireMessage m(w_, 5);
    w_.Uint64(1, id);
    w_.Uint64(2, name_index);
    w_.Uint64(4, file_index);
    return id;
  }

  void Location(uint64_t id, uint64_t function, int64_t line) {
    InlinedLocation(id, {{function, line}});
  }
  // Adds a location with several functions and lines, innermost first.
  void InlinedLocation(uint64_t id,
                       const std::vector<std::pair<uint64_t, int64_t>>& lines) {
    const util::WireMessage m(w_, 4);
    w_.Uint64(1, id);
    for (const auto& [function, line] : lines) {
      const util::WireMessage of_line(w_, 4);
      w_.Uint64(1, function);
      w_.Int64(2, line);
    }
  }
  // Adds a location without symbols.
  void Address(uint64_t id, uint64_t address, std::string_view binary) {
    const uint64_t name = String(binary);
    {
      const util::WireMessage m(w_, 3);
      w_.Uint64(1, id);
      w_.Uint64(5, name);
    }
    const util::WireMessage m(w_, 4);
    w_.Uint64(1, id);
    w_.Uint64(2, id);
    w_.Uint64(3, address);
  }

  void Period(std::string_view type, std::string_view unit, int64_t period) {
    const uint64_t type_index = String(type), unit_index = String(unit);
    {
      const util::WireMessage m(w_, 11);
      w_.Uint64(1, type_index);
      w_.Uint64(2, unit_index);
    }
    w_.Int64(12, period);
  }
  void DefaultType(std::string_view type) { w_.Uint64(14, String(type)); }

  // The strings come last, as in most files.
  std::string Bytes() const {
    util::WireWriter strings;
    for (const std::string& s : strings_) strings.Bytes(6, s);
    return std::string(w_.bytes()) + std::string(strings.bytes());
  }

 private:
  util::WireWriter w_;
  std::vector<std::string> strings_;
  uint64_t num_functions_ = 0;
};

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_PPROF_TESTING_H_
