// What the recorder asks of the system, without the wrappers of libc: other
// libraries may replace those, and they set errno. Errors are negative numbers
// of errno. No file stays open between two calls: programs close descriptors
// that they do not know, and then get the same number for a file of theirs.

#ifndef TFPROF_RECORD_SYSTEM_H_
#define TFPROF_RECORD_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof::record {

uint64_t ReadClock(int clock);
uint32_t CurrentThread();
uint32_t CurrentProcess();
size_t PageBytes();

// Makes a folder; -EEXIST if it is there.
int MakeFolder(const char* path);
// Makes a new file of these bytes.
int WriteNewFile(const char* path, std::string_view bytes);
// Writes at `offset`, where the file ends until now; it is made if it is not
// there. All of it, or nothing.
int AppendToFile(const char* path, uint64_t offset, std::string_view bytes);
// At most `size` bytes from the beginning of a file; the number, or an error.
int64_t ReadFile(const char* path, char* bytes, size_t size);

// Makes a new file of `size` bytes, reserves them on the disk, so that writing
// to them cannot fail later, and maps it. Null: there is no room, or the file
// may not be that long, or it is there already.
void* MapNewFile(const char* path, size_t size);
void Unmap(void* part, size_t size);

// Zeroed memory of the process. `wiped_on_fork`: a child that is made by fork
// finds zeros there; false on kernels before 4.14, where memory is kept.
void* AllocatePages(size_t size);
bool WipeOnFork(void* pages, size_t size);

void YieldProcessor();
void Sleep(uint64_t nanos);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_SYSTEM_H_
