#include "loaders/chrome_json/kineto/python_names.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

class PythonNamesTest : public ::testing::Test {
 protected:
  std::string Text(profile::StringId id) const {
    return id == profile::kNone ? "" : std::string(strings_.Get(id));
  }

  profile::StringPool strings_;
  PythonNames names_ = PythonNames(strings_);
};

TEST_F(PythonNamesTest, FunctionsOfFiles) {
  const PythonName& name =
      names_[names_.Intern("torch/nn/modules/conv.py(553): forward")];
  EXPECT_EQ(Text(name.file), "torch/nn/modules/conv.py");
  EXPECT_EQ(Text(name.function), "forward");
  EXPECT_EQ(name.first_line, 553);
  EXPECT_EQ(name.module, profile::kNone);
}

TEST_F(PythonNamesTest, OddNames) {
  EXPECT_EQ(Text(names_[names_.Intern("a(b)(2): <lambda>")].file), "a(b)");
  EXPECT_EQ(Text(names_[names_.Intern("<string>(2): f): g")].function),
            "f): g");
  EXPECT_EQ(names_[names_.Intern("x(99999999999): f")].file, profile::kNone);
  EXPECT_EQ(names_[names_.Intern("no place")].file, profile::kNone);
  EXPECT_EQ(names_[names_.Intern("")].file, profile::kNone);
}

TEST_F(PythonNamesTest, Modules) {
  const PythonName& name = names_[names_.Intern("nn.Module: BasicBlock_0")];
  EXPECT_EQ(Text(name.module), "BasicBlock_0");
  EXPECT_EQ(name.file, profile::kNone);
}

TEST_F(PythonNamesTest, BuiltinFunctionsAreOneName) {
  const PythonName gc = names_[names_.Intern("<built-in function collect>")];
  EXPECT_EQ(strings_.Get(gc.file), "gc");
  EXPECT_EQ(strings_.Get(gc.function), "collect");
  EXPECT_EQ(names_.Intern("<built-in method numel of Tensor at 0x7f01>"),
            PythonNames::kBuiltin);
  EXPECT_EQ(names_.Intern("<built-in method numel of Tensor at 0x7f02>"),
            PythonNames::kBuiltin);
  EXPECT_NE(names_.Intern("a.py(1): f"), PythonNames::kBuiltin);
  EXPECT_EQ(names_.Intern("a.py(1): f"), names_.Intern("a.py(1): f"));
}

TEST_F(PythonNamesTest, StacksAreInnermostFirst) {
  profile::CallStacks stacks;
  const profile::StackId stack =
      names_.InternStack("a.py(9): f;<built-in x>;m.py(3): main;", stacks);
  const std::vector<profile::FrameId> frames = stacks.Frames(stack);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(Text(stacks.frame(frames[0]).function), "main");
  EXPECT_EQ(Text(stacks.frame(frames[1]).file), "a.py");
  EXPECT_EQ(stacks.frame(frames[1]).lineno, 9);
  // Torch 1.9 omits the last semicolon.
  EXPECT_EQ(names_.InternStack("a.py(9): f;m.py(3): main", stacks), stack);
  EXPECT_EQ(names_.InternStack("", stacks), profile::kNoStack);
}

}  // namespace
}  // namespace tfprof::kineto
