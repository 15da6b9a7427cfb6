#include "tables/writers/kernel_texts.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tables/table_builder.h"

namespace tfprof::tables {
namespace {

TEST(KernelTextsTest, ShortensKernelsAndNothingElse) {
  TableBuilder builder(
      "rows",
      {{"name", "name"}, {.name = "why", .title = "why", .prose = true}});
  const std::vector<std::string> names = {
      "void ns::fill<float>(float*)", "void ns::fill<half>(half*)",
      "void ns::scan<int>(int*)", "aten::mm"};
  for (const std::string& name : names) {
    builder.AddRow({TextCell(name), TextCell("void ns::why<int>(int*)")});
  }
  const DataTable table = std::move(builder).Build();
  const KernelTexts texts(table, names.size());
  EXPECT_EQ(texts.Shown(names[0]), "fill [float]");
  EXPECT_EQ(texts.Shown(names[1]), "fill [half]");
  EXPECT_EQ(texts.Shown(names[2]), "scan");
  EXPECT_EQ(texts.Shown("aten::mm"), "aten::mm");
  EXPECT_EQ(texts.Shown("void ns::why<int>(int*)"), "void ns::why<int>(int*)");
  // Rows that are not shown do not count.
  EXPECT_EQ(KernelTexts(table, 1).Shown(names[0]), "fill");
}

}  // namespace
}  // namespace tfprof::tables
