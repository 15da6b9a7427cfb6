// The headers of libraries that most files include. They are parsed once for
// all files, see precompiled.bzl. A file still includes what it uses: it must
// compile without this header.
#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// This function is defined in format.cc of third_party/fmt. Without the
// declaration each file that calls fmt::format_to() compiles all of fmt's
// formatting again, which takes two seconds.
FMT_BEGIN_NAMESPACE
namespace detail {
extern template FMT_API void vformat_to(buffer<char>&, string_view,
                                        basic_format_args<format_context>,
                                        locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
