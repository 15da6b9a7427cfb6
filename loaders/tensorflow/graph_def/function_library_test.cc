#include "loaders/tensorflow/graph_def/function_library.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/graph.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FunctionLibraryTest : public ::testing::Test {
 protected:
  // Returns the names of the functions, and keeps their offsets.
  std::vector<std::string> Functions(const std::string& bytes) {
    file_ = loaders::InputFile::FromBytes("g", bytes);
    std::vector<std::string> names;
    offsets_.clear();
    VisitFunctions(*file_, [&](std::string_view name, uint64_t offset) {
      names.emplace_back(name);
      offsets_.push_back(offset);
    });
    return names;
  }
  // Returns the only function of a library.
  profile::FunctionBody OnlyFunction(std::string_view text) {
    EXPECT_THAT(Functions(loaders::Binary<proto::GraphDef>(
                    "library { function { " + std::string(text) + " } }")),
                SizeIs(1));
    return ReadFunction(*file_, offsets_.at(0));
  }

  std::shared_ptr<const loaders::InputFile> file_;
  std::vector<uint64_t> offsets_;
};

TEST_F(FunctionLibraryTest, AGraphWithoutALibrary) {
  EXPECT_THAT(Functions(""), IsEmpty());
  EXPECT_THAT(Functions(loaders::Binary<proto::GraphDef>("node { name: 'n' }")),
              IsEmpty());
  EXPECT_THAT(Functions(loaders::Binary<proto::GraphDef>("library { }")),
              IsEmpty());
}

TEST_F(FunctionLibraryTest, EachFunctionWithItsPlace) {
  const std::string library = loaders::Binary<proto::GraphDef>(
      "node { name: 'n' } library { function { signature { name: 'f' } "
      "node_def { name: 'in_f' } } function { signature { name: 'g' } "
      "node_def { name: 'in_g' } } }");
  // One file has two libraries, as concatenated graphs have.
  EXPECT_THAT(Functions(library + library), ElementsAre("f", "g", "f", "g"));
  for (size_t i = 0; i < 4; ++i) {
    const profile::FunctionBody body = ReadFunction(*file_, offsets_[i]);
    ASSERT_THAT(body.nodes, SizeIs(1));
    EXPECT_EQ(body.nodes[0].name, i % 2 == 0 ? "in_f" : "in_g");
  }
}

TEST_F(FunctionLibraryTest, AFunctionWithoutASignatureHasNoName) {
  const profile::FunctionBody body = OnlyFunction("node_def { name: 'n' }");
  EXPECT_THAT(Functions(std::string(file_->bytes())), ElementsAre(""));
  EXPECT_THAT(body.arguments, IsEmpty());
  EXPECT_THAT(body.nodes, SizeIs(1));
}

TEST_F(FunctionLibraryTest, NodesInTheOrderOfTheFile) {
  const profile::FunctionBody body = OnlyFunction(
      "node_def { name: 'b' op: 'Add' input: ['a', 'x:y:0', '^c'] "
      "           attr { key: 'T' value { i: 1 } } } "
      "node_def { name: 'a' op: 'Neg' }");
  ASSERT_THAT(body.nodes, SizeIs(2));
  EXPECT_EQ(body.nodes[0].name, "b");
  EXPECT_EQ(body.nodes[0].op, "Add");
  EXPECT_THAT(body.nodes[0].inputs, ElementsAre("a", "x:y:0", "^c"));
  ASSERT_THAT(body.nodes[0].attributes, SizeIs(1));
  EXPECT_EQ(body.nodes[0].attributes[0].first, "T");
  EXPECT_EQ(body.nodes[1].name, "a");
  EXPECT_THAT(body.nodes[1].inputs, IsEmpty());
}

TEST_F(FunctionLibraryTest, ShapesOfArgumentsFromTheFunction) {
  const profile::FunctionBody body = OnlyFunction(
      "signature { name: 'f' input_arg { name: 'a' } input_arg { name: 'b' } "
      "            input_arg { name: 'c' } } "
      "attr { key: '_input_shapes' value { list { "
      "  shape { dim { size: 2 } dim { size: 3 } } shape { dim { size: 4 } } "
      "} } }");
  ASSERT_THAT(body.arguments, SizeIs(3));
  EXPECT_EQ(body.arguments[0].name, "a");
  EXPECT_THAT(body.arguments[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(body.arguments[1].shape, ElementsAre(4));
  EXPECT_THAT(body.arguments[2].shape, IsEmpty());
}

// The attributes of an argument are more exact.
TEST_F(FunctionLibraryTest, ShapesOfArgumentsFromTheArguments) {
  const profile::FunctionBody body = OnlyFunction(
      "signature { name: 'f' input_arg { name: 'a' } input_arg { name: 'b' } }"
      "attr { key: '_input_shapes' value { list { shape { dim { size: 2 } } "
      "                                           shape { dim { size: 3 } } } "
      "} } "
      "arg_attr { key: 1 value { attr { key: '_output_shapes' value { "
      "  list { shape { dim { size: 9 } } } } } } } "
      "arg_attr { key: 0 value { attr { key: 'other' value { i: 1 } } } } "
      "arg_attr { key: 99 value { attr { key: '_output_shapes' value { "
      "  list { shape { dim { size: 9 } } } } } } }");
  ASSERT_THAT(body.arguments, SizeIs(2));
  EXPECT_THAT(body.arguments[0].shape, ElementsAre(2));
  EXPECT_THAT(body.arguments[1].shape, ElementsAre(9));
}

TEST_F(FunctionLibraryTest, DamageEndsAFunction) {
  // A node, then a node that is longer than the function.
  std::string function = "\x1a\x03\x0a\x01n";
  function += "\x1a\x7f";
  std::string library = "\x0a";
  library += static_cast<char>(function.size());
  library += function;
  std::string graph = "\x12";
  graph += static_cast<char>(library.size());
  graph += library;
  EXPECT_THAT(Functions(graph), ElementsAre(""));
  EXPECT_THAT(ReadFunction(*file_, offsets_[0]).nodes, SizeIs(1));
  // A truncated file only has fewer functions.
  for (size_t size = 0; size < graph.size(); ++size) {
    for (size_t i = 0; i < Functions(graph.substr(0, size)).size(); ++i) {
      ReadFunction(*file_, offsets_[i]);
    }
  }
}

}  // namespace
}  // namespace tfprof::tensorflow
