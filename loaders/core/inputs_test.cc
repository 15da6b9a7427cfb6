#include "loaders/core/inputs.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"
#include "util/run/progress.h"

namespace tfprof::loaders {
namespace {

class InputsTest : public FolderTest {
 protected:
  util::Progress progress_;
  ImportLog log_;
  Inputs inputs_{log_, progress_};
};

TEST_F(InputsTest, AFileIsOpenedOnce) {
  const std::string path = Write("f", "12345");
  const auto first = inputs_.Open(path);
  std::filesystem::remove(path);
  const auto again = inputs_.Open(path);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(progress_.total, 5);
}

TEST_F(InputsTest, TheTotalIsWhatIsExpected) {
  const std::string a = Write("a", "12345"), b = Write("b", "123");
  inputs_.Expect(a);
  inputs_.Expect(b);
  inputs_.Expect(b);
  EXPECT_EQ(progress_.total, 8);
  ASSERT_TRUE(inputs_.Open(a).ok());
  EXPECT_EQ(progress_.total, 8);
  // Its binary form is larger; that of the other file may be larger too.
  inputs_.ExpectBytes(a, 10);
  EXPECT_EQ(progress_.total, 16);
  inputs_.Forget(b);
  EXPECT_EQ(progress_.total, 10);
  EXPECT_EQ(progress_.done, 0);
}

TEST_F(InputsTest, UnpackingIsWorkToo) {
  util::StringSink sink;
  ASSERT_TRUE(util::GzipCompress("plain text", sink).ok());
  ASSERT_TRUE(inputs_.Open(Write("z", sink.text())).ok());
  EXPECT_EQ(progress_.done, 10);
  EXPECT_EQ(progress_.total, 20);
}

TEST_F(InputsTest, DamageIsLogged) {
  util::StringSink sink;
  ASSERT_TRUE(util::GzipCompress("plain text", sink).ok());
  ASSERT_TRUE(inputs_.Open(Write("z", sink.text() + "x")).ok());
  EXPECT_EQ(CountOf(log_, "gzip stream cut short"), 1);
  EXPECT_TRUE(log_.damaged());
  EXPECT_FALSE(inputs_.Open(PathOf("missing")).ok());
}

}  // namespace
}  // namespace tfprof::loaders
