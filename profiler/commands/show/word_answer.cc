#include "profiler/commands/show/word_answer.h"

#include <utility>
#include <vector>

namespace tfprof::commands {

tables::Answer WordAnswer(std::string_view kind, std::string_view column,
                          const std::string& word, std::string text) {
  tables::DataTable table;
  table.kind = kind;
  table.columns = {{.name = std::string(column), .title = std::string(column)}};
  table.num_rows = table.total_rows = 1;
  table.cells = [word](size_t, std::vector<tables::DataCell>& cells) {
    cells.assign(1, word.empty() ? tables::DataCell() : tables::DataCell(word));
  };
  tables::Answer answer = tables::TableAnswer(std::move(table));
  SetText(std::move(text), answer);
  return answer;
}

void SetText(std::string text, tables::Answer& answer) {
  answer.forms.push_back({"text", [text = std::move(text)](
                                      const tables::TextLook&,
                                      util::Sink& sink) { sink.Write(text); }});
  answer.reference_form = answer.own_form = answer.agent_form = "text";
}

}  // namespace tfprof::commands
