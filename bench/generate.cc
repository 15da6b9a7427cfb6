#include "bench/generate.h"

#include <sys/stat.h>
#include <zlib.h>

#include <string_view>

#include "fmt/format.h"
#include "util/files/sink.h"
#include "util/files/wire.h"

namespace tfprof {
namespace {

// ---- writing the wire format

void PutVarint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}
void PutInt(std::string& out, uint32_t field, uint64_t v) {
  PutVarint(out, util::VarintTag(field));
  PutVarint(out, v);
}
void PutBytes(std::string& out, uint32_t field, std::string_view bytes) {
  PutVarint(out, util::LengthTag(field));
  PutVarint(out, bytes.size());
  out += bytes;
}

// Appends the fields of `record` for which `keep` is true, unchanged.
template <typename Keep>
void CopyFields(std::string_view record, std::string& out, Keep keep) {
  util::WireReader r(record);
  size_t begin = 0;
  while (r.Next()) {
    const size_t end = r.good_bytes();
    if (keep(r)) out += record.substr(begin, end - begin);
    begin = end;
  }
}

// ---- the real profile

struct Record {
  std::string name;
  std::string rest;  // without name, times and nanoseconds
  int64_t start = 0;
  int64_t duration = 0;
};

struct Source {
  std::string graph, op_log, run_meta;
  std::vector<Record> records;
  int64_t num_nodes = 0;
  int64_t first_start = 0;
};

absl::Status ReadMaybeGzip(const std::string& path, std::string& bytes) {
  gzFile file = gzopen((path + ".gz").c_str(), "rb");
  if (file == nullptr) file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(path + ".gz: cannot be read");
  }
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof(buffer))) > 0;) {
    bytes.append(buffer, static_cast<size_t>(n));
  }
  gzclose(file);
  return absl::OkStatus();
}

void AddRecord(std::string_view bytes, Source& source) {
  Record record;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(1)) record.name = r.view();
    if (r.tag() == util::VarintTag(2)) record.start = r.int64();
    if (r.tag() == util::VarintTag(4)) record.duration = r.int64();
  }
  if (record.name == "_SOURCE") return;
  CopyFields(bytes, record.rest, [](const util::WireReader& f) {
    return f.number() != 1 && f.number() != 2 && f.number() != 4 &&
           f.number() < 13;
  });
  if (source.records.empty()) source.first_start = record.start;
  source.records.push_back(std::move(record));
}

absl::Status ReadSource(const std::string& folder, Source& source) {
  for (const auto& [name, bytes] :
       {std::pair("graph.pb", &source.graph),
        std::pair("op_log", &source.op_log),
        std::pair("run_meta_0", &source.run_meta)}) {
    absl::Status status = ReadMaybeGzip(folder + "/" + name, *bytes);
    if (!status.ok()) return status;
  }
  util::WireReader graph(source.graph);
  while (graph.Next()) source.num_nodes += graph.tag() == util::LengthTag(1);
  util::WireReader metadata(source.run_meta);
  while (metadata.Next()) {
    if (metadata.tag() != util::LengthTag(1)) continue;
    util::WireReader step(metadata.view());
    while (step.Next()) {
      util::WireReader device(step.view());
      while (device.Next()) {
        if (device.tag() == util::LengthTag(2))
          AddRecord(device.view(), source);
      }
    }
  }
  return absl::OkStatus();
}

// ---- the towers

std::string Prefix(int64_t tower) { return fmt::format("tower_{}/", tower); }

void WriteGraph(const Source& source, int64_t towers, util::Sink& sink) {
  std::string node, out;
  for (int64_t tower = 0; tower < towers; ++tower) {
    const std::string prefix = Prefix(tower);
    util::WireReader graph(source.graph);
    while (graph.Next()) {
      if (graph.tag() != util::LengthTag(1)) continue;
      node.clear();
      util::WireReader r(graph.view());
      size_t begin = 0;
      while (r.Next()) {
        const size_t end = r.good_bytes();
        const std::string_view text = r.view();
        if (r.tag() == util::LengthTag(1)) {
          PutBytes(node, 1, prefix + std::string(text));
        } else if (r.tag() == util::LengthTag(3)) {
          const bool control = !text.empty() && text[0] == '^';
          PutBytes(node, 3,
                   (control ? "^" : "") + prefix +
                       std::string(text.substr(control ? 1 : 0)));
        } else {
          node += graph.view().substr(begin, end - begin);
        }
        begin = end;
      }
      PutBytes(out, 1, node);
    }
    sink.Write(out);
    out.clear();
  }
}

void WriteOpLog(const Source& source, int64_t towers, util::Sink& sink) {
  std::string entry, out;
  for (int64_t tower = 0; tower < towers; ++tower) {
    const std::string prefix = Prefix(tower);
    util::WireReader log(source.op_log);
    while (log.Next()) {
      if (log.tag() == util::LengthTag(2) && tower == 0) {
        PutBytes(out, 2, log.view());
      } else if (log.tag() == util::LengthTag(1)) {
        entry.clear();
        util::WireReader r(log.view());
        while (r.Next()) {
          if (r.tag() == util::LengthTag(1)) {
            PutBytes(entry, 1, prefix + std::string(r.view()));
          }
        }
        CopyFields(log.view(), entry,
                   [](const util::WireReader& f) { return f.number() != 1; });
        PutBytes(out, 1, entry);
      }
    }
    sink.Write(out);
    out.clear();
  }
}

// Numbers that differ from record to record but not from run to run.
uint32_t Mix(uint64_t x) {
  x *= 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(x >> 40);
}

// Shorter operations do not launch a kernel.
constexpr int64_t kKernelMicros = 1;

// One step: a scheduling device, "stream:all" and a stream for each tower.
std::string MakeRunMetadata(const Source& source, int64_t towers, int64_t step,
                            int64_t repeats) {
  const int64_t base = 1600000000000000 + step * 60000000;
  std::string devices, scheduled, all, stream, record;
  for (int64_t tower = 0; tower < towers; ++tower) {
    const std::string prefix = Prefix(tower);
    const std::string device =
        fmt::format("/job:localhost/replica:0/task:0/device:GPU:{}", tower % 8);
    const auto begin = [&](std::string& out, const std::string& name) {
      out.clear();
      PutBytes(out, 1, name);
    };
    begin(scheduled, device);
    begin(all, fmt::format("/device:GPU:{}/stream:all", tower % 8));
    begin(stream,
          fmt::format("/device:GPU:{}/stream:{}", tower % 8, 16 + tower / 8));
    for (int64_t repeat = 0; repeat < repeats; ++repeat) {
      uint64_t seed = static_cast<uint64_t>((step * 1000003 + tower) * 7919 +
                                            repeat * 104729);
      for (const Record& r : source.records) {
        const int64_t start =
            base + repeat * 400000 + (r.start - source.first_start);
        const int64_t duration = r.duration + Mix(++seed) % 16;
        const std::string name = prefix + r.name;
        record.clear();
        PutBytes(record, 1, name);
        PutInt(record, 2, static_cast<uint64_t>(start));
        PutInt(record, 4, static_cast<uint64_t>(duration));
        record += r.rest;
        PutBytes(scheduled, 2, record);
        if (r.duration < kKernelMicros) continue;
        record.clear();
        PutBytes(record, 1, name + ":Kernel");
        PutInt(record, 2, static_cast<uint64_t>(start + 2));
        PutInt(record, 4, static_cast<uint64_t>(duration - 2));
        PutInt(record, 5, static_cast<uint64_t>(duration - 1));
        PutBytes(record, 8, "kernel");
        PutBytes(all, 2, record);
        PutBytes(stream, 2, record);
      }
    }
    for (const std::string* d : {&scheduled, &all, &stream}) {
      PutBytes(devices, 1, *d);
    }
  }
  std::string metadata;
  PutBytes(metadata, 1, devices);
  return metadata;
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

template <typename Write>
absl::Status WriteFile(const std::string& path, Write write) {
  if (Exists(path)) return absl::OkStatus();
  auto file = util::FileSink::Create(path);
  if (!file.ok()) return file.status();
  write(**file);
  return (*file)->Commit();
}

}  // namespace

GeneratedInputs GeneratedPaths(const std::string& folder,
                               const GeneratedSize& size) {
  const std::string dir = folder + "/" + size.name;
  GeneratedInputs inputs = {dir + "/graph.pb", dir + "/op_log", {}};
  for (int64_t step = 0; step < size.files; ++step) {
    inputs.run_metas.push_back(fmt::format("{}/run_meta_{}", dir, step));
  }
  return inputs;
}

absl::Status Generate(const std::string& source_folder,
                      const std::string& folder, const GeneratedSize& size) {
  const GeneratedInputs inputs = GeneratedPaths(folder, size);
  Source source;
  absl::Status status = ReadSource(source_folder, source);
  if (!status.ok()) return status;
  if (source.num_nodes == 0) {
    return absl::InvalidArgumentError(source_folder +
                                      "/graph.pb: the graph has no nodes");
  }
  const int64_t towers = (size.nodes + source.num_nodes - 1) / source.num_nodes;
  mkdir(folder.c_str(), 0777);
  mkdir((folder + "/" + size.name).c_str(), 0777);
  status = WriteFile(inputs.graph, [&](util::Sink& sink) {
    WriteGraph(source, towers, sink);
  });
  if (!status.ok()) return status;
  status = WriteFile(inputs.op_log, [&](util::Sink& sink) {
    WriteOpLog(source, towers, sink);
  });
  for (int64_t step = 0; status.ok() && step < size.files; ++step) {
    status = WriteFile(
        inputs.run_metas[static_cast<size_t>(step)], [&](util::Sink& sink) {
          sink.Write(MakeRunMetadata(source, towers, step, size.repeats));
        });
  }
  return status;
}

}  // namespace tfprof
