#include "loaders/xplane/planes/event_reader.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "util/files/wire_writer.h"

namespace tfprof::xplane {
namespace {

// Stats with the ids 1, 2, … and these names.
class EventReaderTest : public testing::Test {
 protected:
  EventReaderTest() {
    table_.names = {"correlation_id", "hlo_op", "anything", "fusion.1", "name"};
    std::vector<int64_t> ids;
    for (const std::string_view name : table_.names) {
      ids.push_back(static_cast<int64_t>(ids.size() + 1));
      table_.roles.push_back(RoleOfStat(name));
    }
    table_.ids = IdTable(ids);
  }

  // Reads an event with these stats, with and without bytes after it. The texts
  // of `fields` are views into events_.
  bool Read(const std::vector<std::string>& stats, EventFields& fields) {
    const std::string event = XPlaneMaker::EventOfId(7, 300, 1 << 20, stats);
    const std::string& more =
        events_.emplace_back(event + std::string(64, '\x7f'));
    const EventReader cautious(table_, /*bytes=*/0);
    EventReader quick(table_, more.size() + 1024), last = cautious;
    quick.SetEnd(more.data() + more.size());
    last.SetEnd(event.data() + event.size());
    EventFields other;
    const bool whole = quick.Read({more.data(), event.size()}, fields);
    EXPECT_EQ(last.Read(event, other), whole);
    EXPECT_EQ(other.metadata_id, fields.metadata_id);
    EXPECT_EQ(other.has, fields.has);
    EXPECT_EQ(other.refs, fields.refs);
    EXPECT_EQ(other.damaged_stats, fields.damaged_stats);
    for (const StatRole role :
         {StatRole::kCorrelationId, StatRole::kHloOp, StatRole::kOpName}) {
      EXPECT_EQ(other.Value(role), fields.Value(role));
    }
    return whole;
  }

  static std::string Number(int64_t id, uint32_t field, uint64_t value) {
    util::WireWriter w;
    w.Int64(1, id);
    w.Uint64(field, value);
    return std::string(w.bytes());
  }
  static std::string Text(int64_t id, std::string_view value) {
    util::WireWriter w;
    w.Int64(1, id);
    w.Bytes(5, value);
    return std::string(w.bytes());
  }

  static constexpr uint32_t kUint = 3, kInt = 4, kRef = 7;

  StatTable table_;
  std::deque<std::string> events_;  // the bytes stay at the same addresses
};

TEST_F(EventReaderTest, ReadsNumbersOfEachLength) {
  for (int bits = 0; bits < 64; ++bits) {
    const uint64_t value = uint64_t{1} << bits | 1;
    EventFields fields;
    ASSERT_TRUE(Read({Number(1, kUint, value)}, fields));
    EXPECT_EQ(fields.Value(StatRole::kCorrelationId), value);
    EXPECT_EQ(fields.metadata_id, 7);
    EXPECT_EQ(fields.offset_ps, 300);
    EXPECT_EQ(fields.duration_ps, 1 << 20);
  }
}

TEST_F(EventReaderTest, ATextIsAnIdOrBytes) {
  EventFields fields;
  ASSERT_TRUE(Read({Number(2, kRef, 4), Text(5, "a/b")}, fields));
  EXPECT_EQ(fields.Text(StatRole::kHloOp, table_), "fusion.1");
  EXPECT_EQ(fields.Text(StatRole::kOpName, table_), "a/b");
  EXPECT_EQ(fields.refs, RoleBit(StatRole::kHloOp));
  EXPECT_EQ(fields.Text(StatRole::kAnnotation, table_), "");
}

TEST_F(EventReaderTest, TheLastOfTwoStatsCounts) {
  EventFields fields;
  ASSERT_TRUE(Read({Number(1, kUint, 5), Number(1, kInt, 6), Number(2, kRef, 4),
                    Text(2, "dot.2")},
                   fields));
  EXPECT_EQ(fields.Value(StatRole::kCorrelationId), 6u);
  EXPECT_EQ(fields.Text(StatRole::kHloOp, table_), "dot.2");
}

TEST_F(EventReaderTest, NothingIsLeftOfTheEventBefore) {
  EventFields fields;
  ASSERT_TRUE(Read({Number(1, kUint, 5), Number(2, kRef, 4)}, fields));
  ASSERT_TRUE(Read({Number(3, kUint, 5), Number(3, kRef, 4)}, fields));
  EXPECT_EQ(fields.has, 0u);
  EXPECT_EQ(fields.refs, 0u);
  EXPECT_EQ(fields.Value(StatRole::kCorrelationId), 0u);
  EXPECT_EQ(fields.Text(StatRole::kHloOp, table_), "");
}

TEST_F(EventReaderTest, ANumberThatMustBeOneIsNoText) {
  EventFields fields;
  ASSERT_TRUE(Read({Text(1, "5"), Number(1, kRef, 4)}, fields));
  EXPECT_FALSE(fields.Has(StatRole::kCorrelationId));
}

TEST_F(EventReaderTest, ANumberMustEndWithItsStat) {
  const std::string whole = Number(1, kUint, 300);
  EventFields fields;
  // Cut inside the number, and with a byte after it.
  ASSERT_TRUE(Read({whole.substr(0, whole.size() - 1)}, fields));
  EXPECT_EQ(fields.damaged_stats, 1);
  EXPECT_FALSE(fields.Has(StatRole::kCorrelationId));
  ASSERT_TRUE(Read({whole + '\x01'}, fields));
  EXPECT_EQ(fields.damaged_stats, 1);
}

}  // namespace
}  // namespace tfprof::xplane
