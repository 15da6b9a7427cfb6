// The row of SQLite files in the registry of formats. The tables decide which
// program wrote a file.

#ifndef TFPROF_LOADERS_SQLITE_FORMAT_H_
#define TFPROF_LOADERS_SQLITE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::sqlite {

extern const loaders::Format kSqliteFormat;

}  // namespace tfprof::sqlite

#endif  // TFPROF_LOADERS_SQLITE_FORMAT_H_
