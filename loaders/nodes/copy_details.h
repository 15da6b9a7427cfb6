// Reads the text in which CUPTI's users describe a copy, in XPlane and in the
// JSON of JAX:
//
//   "kind_src:pageable kind_dst:device size:6144 dest:4 async:1"

#ifndef TFPROF_LOADERS_NODES_COPY_DETAILS_H_
#define TFPROF_LOADERS_NODES_COPY_DETAILS_H_

#include <algorithm>
#include <string_view>

#include "profile/transfer.h"
#include "util/text/decimal.h"

namespace tfprof::loaders {

// Returns the word after `key`, which has a colon at its end; "" if none.
inline std::string_view CopyDetail(std::string_view details,
                                   std::string_view key) {
  const size_t at = details.find(key);
  if (at == details.npos) return {};
  const std::string_view rest = details.substr(at + key.size());
  return rest.substr(0, std::min(rest.find(' '), rest.size()));
}

// Sets the bytes, and the kinds of memory as the places of the copy. Views
// point into `details`.
inline void ReadCopyDetails(std::string_view details,
                            profile::Transfer& transfer) {
  transfer.bytes =
      util::ParseDecimal(CopyDetail(details, "size:")).value_or(-1);
  transfer.from = CopyDetail(details, "kind_src:");
  transfer.to = CopyDetail(details, "kind_dst:");
}

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_COPY_DETAILS_H_
