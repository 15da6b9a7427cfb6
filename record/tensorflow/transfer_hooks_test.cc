// Tests of the hooks in transfer_hooks.cc, mainly of how they parse a request.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "record/sink.h"
#include "record/tensorflow/hook_testing.h"

using tfprof::record::StdFunction;

extern "C" {
void RecvTensorAsync(void* worker, void* options, const void* request, void* response, StdFunction* done) __asm__(
    "_ZN10tensorflow16GrpcRemoteWorker15RecvTensorAsyncE"
    "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"
    "PNS_14TensorResponseE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
void ServeTensorAsync(void* worker, void* options, const void* request, void* response, StdFunction* done) __asm__(
    "_ZN10tensorflow10GrpcWorker19GrpcRecvTensorAsyncE"
    "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"
    "PN4grpc10ByteBufferE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
}

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr char kKey[] = "/cpu:1;0001;/gpu:0;edge_5_x;0:0";

// A request with this step and key, and a field that the hooks ignore.
std::string Request(char step, const std::string& key) {
  return std::string("\x08") + step + "\x12" + static_cast<char>(key.size()) +
         key + "\x18\x01";
}

// The events of a transfer whose request has these bytes. Its callback is
// called exactly once, whatever the bytes are.
std::vector<std::string> Transfer(const std::string& request,
                                  bool server = false) {
  return EventsOfProcess([&](FakeLibrary& library) {
    library.request = request;
    int calls = 0;
    std::function<void(const int&)> done = [&calls](const int& status) {
      calls += status;
    };
    (server ? ServeTensorAsync : RecvTensorAsync)(At(1), At(2), At(3), At(4),
                                                  Layout(done));
    EXPECT_EQ(library.num_calls, 1);
    for (uintptr_t i = 0; i < 4; ++i) EXPECT_EQ(library.words[i], i + 1);
    EXPECT_EQ(library.words[4], reinterpret_cast<Word>(&done));
    done(7);
    EXPECT_EQ(calls, 7);
  });
}

TEST(TransferHooksTest, ATransferHasTheFactsOfItsRequest) {
  EXPECT_THAT(Transfer(Request(5, kKey)),
              ElementsAre(MatchesRegex(
                  "recv_tensor server=0 step=5 bytes=0 begin=[0-9]+ "
                  "end=[0-9]+ key=/cpu:1;0001;/gpu:0;edge_5_x;0:0 "
                  "source=/cpu:1 destination=/gpu:0")));
  EXPECT_THAT(Transfer(Request(5, kKey), /*server=*/true),
              ElementsAre(testing::StartsWith("recv_tensor server=1 step=5 ")));
}

TEST(TransferHooksTest, ALargeStepIsReadWhole) {
  // -2, as a varint of ten bytes.
  const std::string request =
      std::string("\x08\xfe") + std::string(8, '\xff') + "\x01\x12\x01k";
  EXPECT_THAT(Transfer(request),
              ElementsAre(MatchesRegex(".* step=-2 .* key=k source=k "
                                       "destination=")));
}

TEST(TransferHooksTest, AKeyWithoutAStepBelongsToNone) {
  EXPECT_THAT(Transfer("\x12\x01k"),
              ElementsAre(MatchesRegex(".* step=-1 .* key=k .*")));
}

TEST(TransferHooksTest, PartsThatAKeyLacksAreEmpty) {
  for (const auto& [key, source, destination] :
       std::vector<std::array<std::string, 3>>{
           {";", "", ""}, {"a;b", "a", ""}, {"a;;c", "a", "c"}}) {
    EXPECT_THAT(Transfer(Request(1, key)),
                ElementsAre(MatchesRegex(".* key=" + key + " source=" + source +
                                         " destination=" + destination)));
  }
}

TEST(TransferHooksTest, AKeyIsCutWhereTheBytesOrTheTextEnd) {
  // The size says 100 bytes, but only one follows.
  EXPECT_THAT(Transfer("\x08\x01\x12\x64k"),
              ElementsAre(MatchesRegex(".* key=k .*")));
  const std::string key(2 * kMaxText, 'k');
  const std::string size = {static_cast<char>(0x80 | (key.size() & 0x7f)),
                            static_cast<char>(key.size() >> 7)};
  EXPECT_THAT(Transfer("\x12" + size + key),
              ElementsAre(testing::HasSubstr(
                  " key=" + std::string(kMaxText, 'k') + " source=")));
}

TEST(TransferHooksTest, ARequestWithoutAKeyIsNoTransfer) {
  const std::string requests[] = {
      "",                          // nothing
      std::string("\x08\x05"),     // a step only
      std::string("\x08"),         // cut after its tag
      std::string("\x12"),         // a key without a size
      std::string("\x12\x00", 2),  // an empty key
      std::string("\x1a\x01k"),    // another field
      std::string(12, '\xff'),     // a number that never ends
      std::string("\x08") + std::string(20, '\x80'),
  };
  for (const std::string& request : requests) {
    EXPECT_THAT(Transfer(request), IsEmpty())
        << ::testing::PrintToString(request);
  }
}

}  // namespace
}  // namespace tfprof::record
