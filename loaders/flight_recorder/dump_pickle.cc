#include "loaders/flight_recorder/dump_pickle.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/pickle_values.h"
#include "util/json/json_writer.h"

namespace tfprof::flight_recorder {
namespace {

using loaders::PickleValue;
using loaders::PickleValues;
using Kind = PickleValue::Kind;

constexpr int kMaxDepth = 32;
// How many times larger than the pickle the texts of its JSON may be. A pickle
// stores a text once and refers to it in a few bytes.
constexpr size_t kMaxGrowth = 256;

enum KnownKey : int64_t { kName, kFilename, kLine };
constexpr std::string_view kKnownKeys[] = {"name", "filename", "line"};

// Folds frames and stacks into indexes of `lines`. The line of a stack is that
// of its first frame that has one.
class FrameFolder : public loaders::PickleFolder {
 public:
  std::optional<int64_t> FoldDict(PickleValues& values,
                                  std::span<const PickleValue> items) override {
    if (items.size() != 6) return std::nullopt;
    PickleValue found[3];
    for (size_t i = 0; i < items.size(); i += 2) {
      if (!items[i].is(Kind::kText) || items[i].data() > kLine) {
        return std::nullopt;
      }
      found[items[i].data()] = items[i + 1];
    }
    if (!found[kName].is(Kind::kText) || !found[kFilename].is(Kind::kText) ||
        !found[kLine].is(Kind::kNumber)) {
      return std::nullopt;
    }
    const auto key =
        std::pair(std::pair(found[kFilename].data(), found[kName].data()),
                  found[kLine].data());
    const auto [place, is_new] =
        places_.try_emplace(key, static_cast<int64_t>(lines_.size()));
    if (is_new) {
      lines_.push_back(UserLine(values.Text(found[kFilename].data()),
                                found[kLine].data(),
                                values.Text(found[kName].data())));
    }
    return place->second;
  }

  std::optional<int64_t> FoldList(PickleValues& values,
                                  std::optional<int64_t> before,
                                  std::span<const PickleValue> items) override {
    int64_t line = before.value_or(0);
    for (const PickleValue item : items) {
      const PickleValue frame = values.Resolve(item);
      if (!frame.is(Kind::kRecord)) return std::nullopt;
      if (Line(line).empty()) line = frame.data();
    }
    return line;
  }

  const std::string& Line(int64_t record) const {
    return lines_[static_cast<size_t>(record)];
  }

 private:
  std::vector<std::string> lines_ = {""};
  // By file, function and line.
  std::map<std::pair<std::pair<int64_t, int64_t>, int64_t>, int64_t> places_;
};

class JsonMaker {
 public:
  JsonMaker(PickleValues& values, const FrameFolder& folder, size_t max_texts)
      : values_(values), folder_(folder), left_(max_texts) {}

  absl::StatusOr<std::string> Make() {
    if (!Write(values_.root(), 0)) {
      return absl::InvalidArgumentError(
          "a pickle whose values nest too deep, or are shared too often, for a "
          "dump of the flight recorder; it was read, not run");
    }
    return json_.Take();
  }

 private:
  bool Take(std::string_view text) {
    if (text.size() > left_) return false;
    left_ -= text.size();
    return true;
  }

  bool Write(PickleValue value, int depth) {
    if (depth > kMaxDepth) return false;
    value = values_.Resolve(value);
    switch (value.kind()) {
      case Kind::kText: {
        const std::string_view text = values_.Text(value.data());
        if (!Take(text)) return false;
        json_.Value(text);
        return true;
      }
      case Kind::kNumber:
      case Kind::kWide:
        json_.Value(*values_.Integer(value));
        return true;
      case Kind::kBool:
        json_.Value(value.data() != 0);
        return true;
      case Kind::kRecord:
        if (!Take(folder_.Line(value.data()))) return false;
        json_.Value(folder_.Line(value.data()));
        return true;
      case Kind::kList:
        return WriteList(value, depth);
      case Kind::kDict:
        return WriteDict(value, depth);
      case Kind::kNone:
      case Kind::kOther:
      case Kind::kObject:
      case Kind::kTuple:
        break;
    }
    json_.Null();
    return true;
  }

  bool WriteList(PickleValue list, int depth) {
    json_.Array();
    bool ok = true;
    ok &= values_.ForEach(
        list, [&](PickleValue item) { ok = ok && Write(item, depth + 1); });
    json_.End();
    return ok;
  }

  // Keys that are numbers become texts. Others are not in dumps.
  bool WriteDict(PickleValue dict, int depth) {
    json_.Object();
    bool ok = true;
    std::optional<PickleValue> key;
    const bool visited = values_.ForEach(dict, [&](PickleValue item) {
      if (!key) {
        key = item;
        return;
      }
      if (ok) ok = WriteMember(*std::exchange(key, std::nullopt), item, depth);
    });
    json_.End();
    return ok && visited;
  }

  bool WriteMember(PickleValue key, PickleValue value, int depth) {
    if (key.is(Kind::kText)) {
      const std::string_view name = values_.Text(key.data());
      if (!Take(name)) return false;
      json_.Key(name);
    } else if (const std::optional<int64_t> number = values_.Integer(key)) {
      json_.Key(fmt::format("{}", *number));
    } else {
      return false;
    }
    return Write(value, depth + 1);
  }

  PickleValues& values_;
  const FrameFolder& folder_;
  size_t left_;  // bytes of texts
  util::JsonWriter json_;
};

constexpr std::string_view kKeys[] = {
    "entries", "pg_config", "pg_status",
    // Of calls.
    "record_id", "pg_id", "process_group", "collective_seq_id", "p2p_seq_id",
    "seq_id", "is_p2p", "profiling_name", "input_sizes", "input_dtypes",
    "state", "time_created_ns", "frames",
    // Of groups.
    "name", "desc", "ranks", "last_enqueued_collective",
    "last_completed_collective",
    // Of frames.
    "filename", "line"};

// Calls `visit` with each key and value of a dictionary.
template <typename Function>
void ForEachMember(PickleValues& values, PickleValue dict,
                   const Function& visit) {
  std::optional<PickleValue> key;
  values.ForEach(dict, [&](PickleValue item) {
    if (!key) {
      key = item;
    } else {
      visit(*std::exchange(key, std::nullopt), item);
    }
  });
}

void FindPlaces(PickleValues& values, DumpBytes& bytes) {
  const auto place_of = [&](PickleValue item) {
    return values.PlaceOf(item).value_or(DumpBytes::Place());
  };
  ForEachMember(values, values.root(), [&](PickleValue key, PickleValue value) {
    const std::string_view name =
        key.is(Kind::kText) ? values.Text(key.data()) : "";
    if (name == "entries") {
      values.ForEach(value, [&](PickleValue entry) {
        bytes.entries.push_back(place_of(entry));
      });
    } else if (name == "pg_config") {
      ForEachMember(values, value, [&](PickleValue, PickleValue group) {
        bytes.groups.push_back(place_of(group));
      });
    }
  });
}

}  // namespace

const std::span<const std::string_view> kUsedKeys = kKeys;

std::string UserLine(std::string_view file, int64_t line,
                     std::string_view function) {
  if (file.find("/site-packages/") != file.npos ||
      file.find("/dist-packages/") != file.npos) {
    return "";
  }
  return fmt::format("{}:{}:{}", file, line, function);
}

absl::StatusOr<std::string> DumpAsJson(std::string_view pickle,
                                       const util::TaskOptions& work,
                                       absl::Status& damage, DumpBytes* bytes) {
  FrameFolder folder;
  PickleValues values(pickle, kKnownKeys, folder);
  if (bytes != nullptr) values.NoteBytes(kUsedKeys, bytes->notes);
  damage = values.Read(work);
  if (!damage.ok() && (work.cancelled() || !values.KeepComplete())) {
    return damage;
  }
  if (bytes != nullptr) FindPlaces(values, *bytes);
  return JsonMaker(values, folder, kMaxGrowth * pickle.size()).Make();
}

}  // namespace tfprof::flight_recorder
