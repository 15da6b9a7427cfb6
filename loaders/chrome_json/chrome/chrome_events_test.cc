#include "loaders/chrome_json/chrome/chrome_events.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"

namespace tfprof::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ChromeEventsTest : public ::testing::Test {
 protected:
  void Read(const std::string& events) {
    file_ = loaders::InputFile::FromBytes("f", "[" + events + "]");
    events_ = ReadChromeEvents({.file = file_}, context_);
  }
  std::string Name(profile::StringId id) const {
    return std::string(context_.builder.graph().strings.Get(id));
  }
  // Formats each slice as "name:start+duration@track".
  std::vector<std::string> Slices() const {
    std::vector<std::string> texts;
    for (const ChromeSlice& s : events_.slices) {
      texts.push_back(Name(s.name) + ":" + std::to_string(s.start) + "+" +
                      std::to_string(s.duration) + "@" +
                      std::to_string(s.track));
    }
    return texts;
  }

  loaders::LoadContext context_;
  std::shared_ptr<const loaders::InputFile> file_;
  ChromeEvents events_;
};

TEST_F(ChromeEventsTest, CompleteEventsInNanoseconds) {
  Read(R"({"ph":"X","pid":1,"tid":2,"ts":10.5,"dur":1.25,"name":"a"},
          {"ph":"X","pid":1,"tid":2,"ts":10,"dur":9.9999999999999995e-07,
           "name":"b\n"},
          {"ph":"X","pid":1,"tid":"main","ts":12,"name":"c"})");
  EXPECT_THAT(Slices(), ElementsAre("a:500+1250@0", "b\n:0+0@0", "c:2000+0@1"));
  EXPECT_TRUE(events_.has_threads);
  EXPECT_FALSE(events_.has_frames);
  EXPECT_FALSE(context_.log.damaged());
}

TEST_F(ChromeEventsTest, DigitsBelowNanosecondsAreCutOff) {
  Read(R"({"ph":"X","pid":1,"tid":2,"ts":0.0009,"dur":43.688999999999998,
           "name":"a"})");
  EXPECT_THAT(Slices(), ElementsAre("a:0+43688@0"));
}

TEST_F(ChromeEventsTest, BeginsAndEndsWithAndWithoutThreads) {
  Read(R"({"ph":"B","pid":1,"ts":1,"name":"a"},
          {"ph":"B","pid":1,"tid":7,"ts":1,"name":"b"},
          {"ph":"E","pid":1,"ts":3},
          {"ph":"E","pid":1,"tid":7,"ts":2})");
  EXPECT_THAT(Slices(), ElementsAre("a:0+2000@0", "b:0+1000@1"));
  EXPECT_EQ(events_.tracks[0].thread, profile::kNone);
}

TEST_F(ChromeEventsTest, AsynchronousOperationsById) {
  Read(R"({"ph":"b","cat":"c","id":"0x1","pid":1,"tid":1,"ts":1,"name":"a"},
          {"ph":"b","cat":"c","id":"0x2","pid":1,"tid":1,"ts":2,"name":"b"},
          {"ph":"e","cat":"c","id":"0x1","pid":1,"tid":9,"ts":3,"name":"a"},
          {"ph":"n","cat":"c","id":"0x2","pid":1,"tid":1,"ts":4,"name":"i"},
          {"ph":"e","cat":"c","id":"0x2","pid":1,"tid":1,"ts":5,"name":"b"})");
  EXPECT_THAT(Slices(), ElementsAre("a:0+2000@0", "b:1000+3000@1"));
  EXPECT_TRUE(events_.tracks[0].asynchronous);
  EXPECT_FALSE(events_.has_threads);
  ASSERT_THAT(events_.instants, SizeIs(1));
  EXPECT_EQ(events_.instants[0].track, 1u);
}

TEST_F(ChromeEventsTest, NamesOfProcessesAndThreads) {
  Read(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}},
          {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"x"}},
          {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}},
          {"ph":"M","pid":1,"name":"process_sort_index","args":{"n":1}},
          {"ph":"i","pid":1,"tid":2,"ts":1,"name":"now"},{})");
  ASSERT_THAT(events_.processes, SizeIs(1));
  EXPECT_EQ(events_.processes[0].name, "p");
  ASSERT_THAT(events_.tracks, SizeIs(1));
  EXPECT_EQ(events_.tracks[0].name, "t");  // the last name wins
  EXPECT_THAT(context_.log.entries(), IsEmpty());
}

TEST_F(ChromeEventsTest, CountersOfSeveralSeries) {
  Read(R"({"ph":"C","pid":1,"ts":1,"name":"mem","args":{"used":5,"free":0.5}},
          {"ph":"C","pid":1,"ts":2,"name":"n","args":{"value":7,"x":"text"}})");
  ASSERT_THAT(events_.counters, SizeIs(3));
  const auto& used = events_.counters.at({0, "mem/used"});
  ASSERT_THAT(used, SizeIs(1));
  EXPECT_EQ(used[0].value, 5);
  EXPECT_EQ(events_.counters.at({0, "mem/free"})[0].value, 0.5);
  EXPECT_EQ(events_.counters.at({0, "n"})[0].time, 1000);
}

TEST_F(ChromeEventsTest, PlacesInTheSource) {
  Read(R"js({"ph":"X","ts":1,"name":"f (/a.py:3)"},
          {"ph":"X","ts":1,"name":"g","args":{"filename":"/b.py","line":4}},
          {"ph":"X","ts":1,"name":"h","args":{"line":4}})js");
  const profile::CallStacks& stacks = context_.builder.graph().stacks;
  ASSERT_THAT(events_.slices, SizeIs(3));
  const profile::Frame& f = stacks.frame(events_.slices[0].frame);
  EXPECT_EQ(Name(f.function) + Name(f.file), "f/a.py");
  EXPECT_EQ(f.lineno, 3);
  const profile::Frame& g = stacks.frame(events_.slices[1].frame);
  EXPECT_EQ(Name(g.function) + Name(g.file), "g/b.py");
  EXPECT_EQ(g.lineno, 4);
  EXPECT_EQ(events_.slices[2].frame, profile::kNone);
  EXPECT_TRUE(events_.has_frames);
}

TEST_F(ChromeEventsTest, OperationsOfTensorFlow1) {
  Read(R"({"ph":"X","cat":"Op","ts":1,"name":"Conv2D",
           "args":{"name":"a/conv","op":"Conv2D"}},
          {"ph":"X","cat":"Other","ts":1,"name":"x",
           "args":{"name":"a/conv","op":"Conv2D"}})");
  EXPECT_EQ(Name(events_.slices[0].operation), "a/conv");
  EXPECT_EQ(events_.slices[1].operation, profile::kNone);
}

TEST_F(ChromeEventsTest, StepsThatSlicesName) {
  Read(R"({"ph":"X","pid":1,"ts":5,"dur":2,"name":"train",
           "args":{"step_num":"1"}},
          {"ph":"X","pid":1,"ts":1,"dur":2,"name":"train",
           "args":{"step_num":0}},
          {"ph":"X","pid":1,"ts":1,"name":"x","args":{"step_num":"-1"}})");
  ASSERT_THAT(events_.steps, SizeIs(2));
  EXPECT_EQ(events_.steps[0].number, 0);
  EXPECT_EQ(events_.steps[1].number, 1);
  EXPECT_EQ(events_.steps[1].start, 4000);
  EXPECT_EQ(events_.steps[1].end, 6000);
}

TEST_F(ChromeEventsTest, StepsThatAreCalledSo) {
  const std::string kSteps =
      R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"step",
          "args":{"step":7}},
         {"ph":"X","pid":1,"tid":1,"ts":4,"dur":2,"name":"Train_Step",
          "args":{"step":8}},
         {"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"forward",
          "args":{"step":7}})";
  Read(kSteps);
  ASSERT_THAT(events_.steps, SizeIs(2));
  EXPECT_EQ(events_.steps[0].number, 7);
  EXPECT_EQ(events_.steps[1].start, 3000);
  // Those of several threads are no steps of the program.
  Read(kSteps +
       R"(,{"ph":"X","pid":1,"tid":2,"ts":1,"dur":2,"name":"step",
            "args":{"step":7}})");
  EXPECT_THAT(events_.steps, testing::IsEmpty());
}

TEST_F(ChromeEventsTest, ArrowsById) {
  Read(R"({"ph":"s","cat":"c","id":1,"pid":1,"ts":1,"name":"a"},
          {"ph":"f","cat":"c","id":1,"pid":1,"ts":2,"name":"a"},
          {"ph":"f","cat":"c","id":2,"bp":"e","pid":1,"ts":2,"name":"a"})");
  ASSERT_THAT(events_.flows, SizeIs(3));
  EXPECT_EQ(events_.flows[0].id, events_.flows[1].id);
  EXPECT_NE(events_.flows[0].id, events_.flows[2].id);
  EXPECT_TRUE(events_.flows[1].to_next);
  EXPECT_FALSE(events_.flows[2].to_next);
}

TEST_F(ChromeEventsTest, SlicesMayBeEndsOfArrowsThemselves) {
  Read(R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a",
           "bind_id":"0x7","flow_out":true},
          {"ph":"B","pid":1,"tid":2,"ts":5,"name":"b","bind_id":"0x7",
           "flow_in":true,"flow_out":true},
          {"ph":"E","pid":1,"tid":2,"ts":6},
          {"ph":"X","pid":1,"tid":1,"ts":8,"dur":2,"name":"c",
           "bind_id":"0x7"},
          {"ph":"X","pid":1,"tid":1,"ts":9,"dur":2,"name":"d",
           "bind_id":"0x7","flow_in":false})");
  ASSERT_THAT(events_.flows, SizeIs(2));
  EXPECT_EQ(events_.flows[0].id, events_.flows[1].id);
  EXPECT_EQ(events_.flows[0].time, 0);
  EXPECT_EQ(events_.flows[1].time, 4000);
  EXPECT_EQ(events_.flows[1].track, 1u);
}

TEST_F(ChromeEventsTest, EventsThatAreOdd) {
  Read(R"({"ph":"X","ts":"soon","name":"a"}, {"ph":"X","name":"b"},
          {"ph":"X","ts":1e30,"name":"c"}, {"ph":"O","ts":1,"name":"d"},
          {"ph":"X","ts":4,"dur":-2,"name":"e"}, {"name":"f"},
          {"ph":"B","ts":2,"name":"g"}, {"ph":"E","ts":1})");
  EXPECT_THAT(Slices(), UnorderedElementsAre("e:3000+0@0", "g:1000+2000@0"));
  EXPECT_EQ(loaders::CountOf(context_.log, "trace event without a time"), 1);
  EXPECT_EQ(loaders::CountOf(context_.log, "trace event of another kind"), 1);
  EXPECT_EQ(loaders::CountOf(context_.log, "negative duration"), 1);
  EXPECT_EQ(loaders::CountOf(context_.log, "begin without an end"), 1);
  EXPECT_EQ(loaders::CountOf(context_.log, "end without a begin"), 1);
}

TEST_F(ChromeEventsTest, TimelinesOfHorovod) {
  Read(R"({"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":1,"pid":1},
          {"ph":"E","ts":2,"pid":1})");
  EXPECT_TRUE(events_.is_horovod);
  Read(R"({"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":1,"pid":1,"tid":1})");
  EXPECT_FALSE(events_.is_horovod);
}

}  // namespace
}  // namespace tfprof::chrome_json
