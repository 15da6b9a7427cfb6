#include "profiler/record/recording_summary.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fmt/format.h"
#include "record/packet.h"

namespace tfprof::recording {
namespace {

using record::PacketHead;

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()),
                                                 closedir);
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

// Sums over the streams of one process.
struct ProcessSummary {
  std::set<uint32_t> threads;
  std::map<uint64_t, uint64_t> discarded;  // by stream
  uint64_t events = 0;
  uint64_t bytes = 0;
};

void AddFile(const std::string& path, ProcessSummary& process) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  uint64_t offset = 0;
  PacketHead head;
  while (pread(fd, &head, sizeof(head), static_cast<off_t>(offset)) ==
             sizeof(head) &&
         head.magic == record::kPacketMagic &&
         head.packet_size >= sizeof(head) * 8) {
    process.events += head.events;
    process.bytes += head.content_size / 8;
    uint64_t& discarded = process.discarded[head.stream_instance_id];
    discarded = std::max(discarded, head.events_discarded);
    if (head.events > 0) process.threads.insert(head.vtid);
    offset += head.packet_size / 8;
  }
  close(fd);
}

}  // namespace

RecordingSummary SummarizeTrace(const std::string& folder) {
  RecordingSummary summary;
  for (const std::string& name : NamesIn(folder)) {
    const std::string path = fmt::format("{}/{}/", folder, name);
    struct stat metadata;
    if (stat(fmt::format("{}metadata", path).c_str(), &metadata) != 0) continue;
    ProcessSummary process;
    for (const std::string& file : NamesIn(path)) {
      if (file != "metadata") AddFile(path + file, process);
    }
    if (metadata.st_size == 0 && process.discarded.empty()) {
      ++summary.failed_processes;
      continue;
    }
    ++summary.processes;
    summary.threads += process.threads.size();
    summary.events += process.events;
    summary.bytes += process.bytes + static_cast<uint64_t>(metadata.st_size);
    for (const auto& [stream, discarded] : process.discarded) {
      summary.discarded += discarded;
    }
  }
  return summary;
}

}  // namespace tfprof::recording
