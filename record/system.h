// The system calls of the recorder, without the wrappers of libc: other
// libraries may replace those, and they set errno. Errors are negative errno
// values. No file stays open between two calls, because programs close
// descriptors that they do not know and may then get the same number for a file
// of theirs.

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

// Creates a folder; -EEXIST if it exists.
int MakeFolder(const char* path);
// Creates a new file with these bytes.
int WriteNewFile(const char* path, std::string_view bytes);
// Appends to a file that ends at `offset`, or creates it. Writes all bytes or
// none.
int AppendToFile(const char* path, uint64_t offset, std::string_view bytes);
// Reads at most `size` bytes from the beginning of a file. Returns their number
// or an error.
int64_t ReadFile(const char* path, char* bytes, size_t size);

// Creates a new file of `size` bytes, reserves its disk space so that writing
// to it cannot fail later, and maps it. Returns null if there is no space, the
// file may not be that large, or it exists.
void* MapNewFile(const char* path, size_t size);
void Unmap(void* part, size_t size);

// Zeroed memory of the process. WipeOnFork(): a child made by fork finds zeros
// there; returns false on kernels before 4.14, where the child inherits the
// memory.
void* AllocatePages(size_t size);
bool WipeOnFork(void* pages, size_t size);

void YieldProcessor();
void Sleep(uint64_t nanos);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_SYSTEM_H_
