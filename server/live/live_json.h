// The records of a live session (live_model.h) as JSON, to and from clients,
// pages and the files of the session. g3doc/formats/session.md and
// g3doc/serve.md name the fields.
//
// Parsers accept any bytes. They return InvalidArgument for anything but a
// valid record; the message names the field, what was found and what was
// expected. Unknown members are skipped, so records of newer clients can be
// read.

#ifndef TFPROF_SERVER_LIVE_LIVE_JSON_H_
#define TFPROF_SERVER_LIVE_LIVE_JSON_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/live/live_model.h"

namespace tfprof::server {

// Reads a registration, or a file of clients/, which also has the rows.
absl::StatusOr<LiveClient> ParseLiveClient(std::string_view text);
absl::StatusOr<LiveUpdate> ParseLiveUpdate(std::string_view text);
absl::StatusOr<LiveTrace> ParseLiveTrace(std::string_view text);
absl::StatusOr<LiveRequest> ParseLiveRequest(std::string_view text);
// Reads the waiting orders, as LiveOrdersFile() writes them.
absl::StatusOr<std::vector<LiveOrder>> ParseLiveOrders(std::string_view text);
// The changes that a page makes to a trace.
struct LiveMark {
  std::optional<std::string> name;
  std::optional<bool> pinned;
};
absl::StatusOr<LiveMark> ParseLiveMark(std::string_view text);

// One object on one line.
std::string LiveRowJson(const LiveRunKind& row, std::string_view client);
// The client without its rows; `state` is shown on pages.
std::string LiveClientJson(const LiveClient& client, std::string_view state);
std::string LiveTraceJson(const LiveTrace& trace);
std::string LiveOrderJson(const LiveOrder& order);
// The file of clients/.
std::string LiveClientFile(const LiveClient& client);
// The file orders.json: the unfinished ones among `orders`.
std::string LiveOrdersFile(const std::map<uint64_t, LiveOrder>& orders);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_LIVE_JSON_H_
