// The records of a live session (live_model.h) as JSON, to and from clients,
// pages and the files of the session. g3doc/formats/session.md and
// g3doc/serve.md name the fields.
//
// Parsers take any bytes. InvalidArgument: what is there is no such record; the
// message names the field, what was found and what is expected. Members that
// are not known are skipped, so that a newer client is understood.

#ifndef TFPROF_SERVER_LIVE_JSON_H_
#define TFPROF_SERVER_LIVE_JSON_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/live_model.h"

namespace tfprof {

// A registration, or a file of clients/; then its rows are there.
absl::StatusOr<LiveClient> ParseLiveClient(std::string_view text);
absl::StatusOr<LiveUpdate> ParseLiveUpdate(std::string_view text);
absl::StatusOr<LiveTrace> ParseLiveTrace(std::string_view text);
absl::StatusOr<LiveRequest> ParseLiveRequest(std::string_view text);
// The orders that wait, as LiveOrdersFile() writes them.
absl::StatusOr<std::vector<LiveOrder>> ParseLiveOrders(std::string_view text);
// What a page changes of a trace.
struct LiveMark {
  std::optional<std::string> name;
  std::optional<bool> pinned;
};
absl::StatusOr<LiveMark> ParseLiveMark(std::string_view text);

// {…}, on one line.
std::string LiveRowJson(const LiveRow& row, std::string_view client);
// Without its rows; `state` is what a page shows.
std::string LiveClientJson(const LiveClient& client, std::string_view state);
std::string LiveTraceJson(const LiveTrace& trace);
std::string LiveOrderJson(const LiveOrder& order);
// The file of clients/.
std::string LiveClientFile(const LiveClient& client);
// The file orders.json: those of `orders` that are not finished.
std::string LiveOrdersFile(const std::map<uint64_t, LiveOrder>& orders);

}  // namespace tfprof

#endif  // TFPROF_SERVER_LIVE_JSON_H_
