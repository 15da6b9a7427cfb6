#include "loaders/flight_recorder/dump.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

#include "fmt/format.h"
#include "loaders/flight_recorder/dump_pickle.h"
#include "re2/re2.h"

namespace tfprof::flight_recorder {
namespace {

using loaders::ByteNotes;
using profile::CollectiveRecords;
using profile::kNone;
using util::JsonTree;
using util::JsonValue;

// The keys of a dump are near its start, those of a call in its first entry.
constexpr size_t kMaxSniffed = 256 << 10;
constexpr size_t kMaxRanks = size_t{1} << 20;

bool HasKeysOfDump(std::string_view bytes) {
  bytes = bytes.substr(0, kMaxSniffed);
  const auto has = [&](std::string_view key) {
    return bytes.find(key) != bytes.npos;
  };
  return has("entries") &&
         (has("pg_config") || has("pg_status") || has("collective_seq_id") ||
          has("nccl_comm_state") || has("profiling_name"));
}

// A number, or a text with a number.
std::optional<int64_t> NumberIn(const JsonValue& value) {
  if (const std::optional<int64_t> number = value.Int()) return number;
  const std::optional<std::string> text = value.String();
  int64_t number = 0;
  if (!text || text->empty()) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Adds the ranks of a list; false if it has something else.
bool AddRanks(const JsonValue& list, std::vector<int64_t>& ranks) {
  if (!list.IsArray() || list.size() > kMaxRanks) return false;
  for (const JsonValue rank : list) {
    const std::optional<int64_t> number = NumberIn(rank);
    if (!number || *number < 0) return false;
    ranks.push_back(*number);
  }
  return true;
}

// The group of a call: its name, or its name and description.
std::string GroupOf(const JsonValue& entry) {
  const JsonValue group = entry["process_group"];
  const JsonValue name = group.IsArray() ? *group.begin() : group;
  if (const std::optional<int64_t> number = name.Int()) {
    return fmt::format("{}", *number);
  }
  return name.String().value_or("");
}

// The description of the group of a call; "": it has none.
std::string DescriptionOf(const JsonValue& entry) {
  const JsonValue group = entry["process_group"];
  if (!group.IsArray() || group.size() < 2) return "";
  auto description = group.begin();
  ++description;
  return (*description).String().value_or("");
}

// The line of the user's code: of a pickle it is there, JSON may have frames.
std::string LineOf(const JsonValue& entry) {
  const JsonValue frames = entry["frames"];
  if (const std::optional<std::string> line = frames.String()) return *line;
  for (const JsonValue frame : frames) {
    std::string line = UserLine(frame["filename"].String().value_or(""),
                                frame["line"].Int().value_or(0),
                                frame["name"].String().value_or(""));
    if (!line.empty()) return line;
  }
  return "";
}

// Notes the members of an object that nothing reads.
void NoteUnusedMembers(const JsonValue& object, ByteNotes& notes) {
  if (!object.IsObject()) return;
  for (const JsonValue member : object) {
    if (std::ranges::find(kUsedKeys, member.Key()) == kUsedKeys.end()) {
      notes.Note(ByteNotes::kUnused, member.member_offset(),
                 member.offset() + member.raw().size());
    }
  }
}

// The same in a whole dump. The names of groups are keys, too.
void NoteUnused(const JsonValue& root, ByteNotes& notes) {
  NoteUnusedMembers(root, notes);
  for (const std::string_view list : {"entries", "pg_config", "pg_status"}) {
    for (const JsonValue item : root[list]) NoteUnusedMembers(item, notes);
  }
}

}  // namespace

bool IsJsonDump(std::string_view bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  const std::string_view start = bytes.substr(0, kMaxSniffed);
  return begin != bytes.npos && bytes[begin] == '{' &&
         start.find("\"entries\"") != start.npos &&
         // Kineto traces have a pg_config, too.
         start.find("\"traceEvents\"") == start.npos && HasKeysOfDump(bytes);
}

bool IsPickledDump(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 &&
         bytes[1] <= 5 && HasKeysOfDump(bytes);
}

int64_t RankInName(std::string_view path) {
  // The rank of a process on its host says nothing about the job.
  static const RE2* const named =
      new RE2(R"((?i)(?:^|[^a-z])(local[_-]?)?rank[_=-]?(\d{1,9}))");
  static const RE2* const last =
      new RE2(R"((?:.*[^0-9/])?(\d{1,9})(?:\.(?:json|pickle|pkl|gz))*)");
  const std::string name(path.substr(path.rfind('/') + 1));
  int64_t number = -1;
  re2::StringPiece rest(name);
  std::string local;
  for (int64_t found = -1;
       RE2::FindAndConsume(&rest, *named, &local, &found);) {
    if (local.empty()) number = found;
  }
  if (number < 0) RE2::FullMatch(name, *last, &number);
  return number;
}

CollectiveRecords::Text DumpReader::Intern(std::string text) {
  if (text.empty()) return kNone;
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  const auto id = static_cast<Text>(records_.texts.size());
  records_.texts.push_back(text);
  texts_.emplace(std::move(text), id);
  return id;
}

CollectiveRecords::Text DumpReader::TextOf(const JsonValue& value) {
  return Intern(value.String().value_or(""));
}

bool DumpReader::AddGroup(const std::string& name, const JsonValue& group,
                          const std::string& path) {
  // The ranks are a list, or a text with a list.
  const JsonValue ranks = group["ranks"];
  const std::string text = ranks.String().value_or(std::string(ranks.raw()));
  if (!seen_groups_.emplace(name, text).second) return true;
  const absl::StatusOr<JsonTree> tree = JsonTree::Parse(text);
  CollectiveRecords::Group row;
  if (!tree.ok() || !AddRanks(tree->root(), row.ranks)) {
    log_.Add(loaders::ImportLog::kDamage, "group without its ranks",
             fmt::format("{}: group \"{}\": expected a list of ranks; found "
                         "\"{}\"; its members are those that called it",
                         path, name, text.substr(0, 80)));
    return false;
  }
  std::sort(row.ranks.begin(), row.ranks.end());
  row.ranks.erase(std::unique(row.ranks.begin(), row.ranks.end()),
                  row.ranks.end());
  row.name = Intern(name);
  row.description = TextOf(group["desc"]);
  described_.insert(row.name);
  records_.groups.push_back(std::move(row));
  return true;
}

bool DumpReader::AddCall(const JsonValue& entry) {
  const std::string operation = entry["profiling_name"].String().value_or("");
  // Old dumps tell it by the name only: "nccl:send 2->3", "nccl:recv 3<-2".
  const bool point_to_point = entry["is_p2p"].Bool().value_or(
      operation.find("->") != std::string::npos ||
      operation.find("<-") != std::string::npos);
  std::optional<int64_t> sequence =
      NumberIn(entry[point_to_point ? "p2p_seq_id" : "collective_seq_id"]);
  if (!sequence) sequence = NumberIn(entry["seq_id"]);
  const std::string group = GroupOf(entry);
  if (!sequence || operation.empty() || group.empty()) return false;
  if (described_.insert(Intern(group)).second) {
    records_.groups.push_back(
        {.name = Intern(group), .description = Intern(DescriptionOf(entry))});
  }
  records_.calls.push_back(
      {.dump = static_cast<uint32_t>(records_.dumps.size() - 1),
       .group = Intern(group),
       .sequence = *sequence,
       .operation = Intern(operation),
       .sizes = Intern(std::string(entry["input_sizes"].raw())),
       .types = entry["input_dtypes"].size() == 0
                    ? kNone
                    : Intern(std::string(entry["input_dtypes"].raw())),
       .state = TextOf(entry["state"]),
       .line = Intern(LineOf(entry)),
       .point_to_point = point_to_point,
       .created = NumberIn(entry["time_created_ns"]).value_or(-1)});
  return true;
}

void DumpReader::AddProgress(const JsonValue& status,
                             const std::map<std::string, Text>& group_of_id) {
  for (auto group = status.begin(); group != status.end(); ++group) {
    const std::string id = (*group).Key();
    const auto named = group_of_id.find(id);
    records_.progress.push_back(
        {.dump = static_cast<uint32_t>(records_.dumps.size() - 1),
         .group = named == group_of_id.end() ? Intern(id) : named->second,
         .enqueued =
             NumberIn((*group)["last_enqueued_collective"]).value_or(-1),
         .completed =
             NumberIn((*group)["last_completed_collective"]).value_or(-1)});
  }
}

bool DumpReader::AddDump(const std::string& path) {
  CollectiveRecords::Dump dump{.path = path, .rank = RankInName(path)};
  if (dump.rank >= 0 && !ranks_.insert(dump.rank).second) {
    log_.Add(loaders::ImportLog::kDamage, "second dump of a rank",
             fmt::format("{}: there is already a dump of rank {}; this one is "
                         "skipped",
                         path, dump.rank));
    return false;
  }
  if (dump.rank < 0) {
    log_.Add(loaders::ImportLog::kDamage, "dump without a rank",
             fmt::format("{}: expected a name with the rank, such as trace_3 "
                         "or rank3_host0; its calls are not compared with "
                         "others",
                         path));
  }
  records_.dumps.push_back(std::move(dump));
  return true;
}

void DumpReader::NoteDamage(std::string_view error) {
  CollectiveRecords::Dump& dump = records_.dumps.back();
  dump.damaged = true;
  log_.Add(loaders::ImportLog::kDamage, "damaged dump",
           fmt::format("{}: {}; what the rank called after the entries that "
                       "are complete is not known",
                       dump.path, error));
}

void DumpReader::AddDamaged(const std::string& path,
                            const absl::Status& error) {
  if (!AddDump(path)) return;
  const std::string message(error.message());
  std::string_view text = message;
  // The error names the file, too.
  if (text.starts_with(path + ": ")) text.remove_prefix(path.size() + 2);
  NoteDamage(text);
}

absl::Status DumpReader::Add(const loaders::InputFile& file,
                             const util::TaskOptions& work, ByteNotes* notes) {
  skipped_ = false;
  const auto error = [&](std::string_view what) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", file.path(), what));
  };
  std::string json;
  std::string_view text = file.bytes();
  ByteNotes unwanted;
  DumpBytes bytes{notes == nullptr ? unwanted : *notes};
  const bool is_pickle = IsPickledDump(text);
  absl::Status damage;
  if (is_pickle) {
    absl::StatusOr<std::string> made =
        DumpAsJson(text, work, damage, notes == nullptr ? nullptr : &bytes);
    if (!made.ok()) {
      return absl::Status(made.status().code(),
                          fmt::format("{}: {}", file.path(),
                                      std::string(made.status().message())));
    }
    json = *std::move(made);
    text = json;
  }
  const absl::StatusOr<JsonTree> tree = JsonTree::Parse(text);
  if (!tree.ok()) return error(std::string(tree.status().message()));
  const JsonValue root = tree->root();
  if (notes != nullptr && !is_pickle) NoteUnused(root, *notes);
  // Notes that a value of the JSON is lost, which is one of the `places`.
  const auto lose = [&](const JsonValue& value,
                        const std::vector<DumpBytes::Place>& places, size_t i) {
    if (notes == nullptr) return;
    const auto [begin, end] =
        is_pickle ? places[i]
                  : DumpBytes::Place(value.offset(),
                                     value.offset() + value.raw().size());
    notes->Note(ByteNotes::kDamaged, begin, end);
  };
  const JsonValue entries = root["entries"];
  if (!entries.IsArray()) {
    if (!damage.ok()) return error(std::string(damage.message()));
    return error("expected a list named \"entries\"; write the dump again");
  }
  if (!AddDump(file.path())) {
    skipped_ = true;
    return absl::OkStatus();
  }
  if (!damage.ok()) NoteDamage(std::string(damage.message()));
  size_t group_number = 0;
  for (const JsonValue group : root["pg_config"]) {
    if (!AddGroup(group.Key(), group, file.path())) {
      lose(group, bytes.groups, group_number);
    }
    ++group_number;
  }
  std::map<std::string, Text> group_of_id;
  size_t number = 0;
  for (const JsonValue entry : entries) {
    if (number++ == 0) {
      records_.dumps.back().overwritten =
          std::max<int64_t>(NumberIn(entry["record_id"]).value_or(0), 0);
    }
    if (!AddCall(entry)) {
      log_.Add(loaders::ImportLog::kDamage, "entry that is no call",
               fmt::format("{}: entry {}: expected profiling_name, "
                           "process_group and a sequence number; it is dropped",
                           file.path(), number - 1));
      lose(entry, bytes.entries, number - 1);
      continue;
    }
    ++records_.dumps.back().entries;
    if (const std::optional<int64_t> id = NumberIn(entry["pg_id"])) {
      group_of_id[fmt::format("{}", *id)] = records_.calls.back().group;
    }
  }
  AddProgress(root["pg_status"], group_of_id);
  return absl::OkStatus();
}

}  // namespace tfprof::flight_recorder
