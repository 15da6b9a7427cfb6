// Answer: the result of a command, before it is written anywhere.
//
// A command on a workspace returns an Answer and prints nothing. The writers
// (answer_writer.h) convert it to each output: a table on a screen, the text of
// the reference, JSON, NDJSON, CSV, Markdown, JUnit, files. The shell, the
// command line, scripts and the server run the same commands and use the same
// writers, so all outputs have the same content.
//
// An Answer may point into the profiles that the command read; they must
// outlive it. It owns all other data that its tables and forms point into (a
// report, an advice), see Keep(). Making an Answer is cheap: rows and texts are
// produced while they are written.

#ifndef TFPROF_TABLES_ANSWER_H_
#define TFPROF_TABLES_ANSWER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/files/sink.h"

namespace tfprof::tables {

struct Answer {
  // A way to write the answer that is not a table.
  struct Form {
    std::string name;  // the word for -output: "text", "junit"
    std::function<void(const TextLook& look, util::Sink& sink)> write;
    // True if names are safe for a terminal (util/text/safe_text.h) and all
    // escape sequences are ours. False if the form may contain any bytes of the
    // profile.
    bool safe = false;
    // Returns the number of lines before the first row, for a form with rows.
    std::function<size_t(const TextLook& look)> header = {};
  };
  // A file that the command must write: a trace, a saved profile.
  struct File {
    std::string path;
    std::function<absl::Status(util::Sink& sink)> write;
    // Text for stdout after the file is opened and before anything is written.
    std::string begins = {};
    // Text for stdout after the file is written, and the error if it cannot be
    // written. If empty: no text, and the reason itself.
    std::function<std::string()> done = {};
    std::function<absl::Status(const absl::Status& reason)> failed = {};
    // Its share of the work for all files, in any unit.
    size_t work = 1;
  };

  // Facts and tables. A single table without a title is the answer itself: in
  // JSON, its columns and rows are at the top level.
  DataDocument data;
  std::vector<Form> forms;
  // The form when -output names none. `reference_form` is that of the
  // reference's command line, if the reference has such an answer; `own_form`
  // is ours, on a terminal, in a pipe and in a file. Empty: the table, or for
  // an agent, short Markdown.
  std::string reference_form;
  std::string own_form;
  std::string agent_form;
  // Sentences, one per line, for a user at a terminal, shown before the table.
  // They are safe for a terminal.
  std::string introduction;
  // True: without a pager, rows that do not fit into the window are not shown,
  // and a line gives their number.
  bool cut_to_window = false;
  // True: the forms adapt to a window of any height and need no pager.
  bool fits_window = false;
  std::vector<File> files;
  // If not empty, the files are written into this new folder, either all of
  // them or none. Their paths are relative to it.
  std::string folder;
  // True: the answer goes to stdout unless -output names a format. The
  // reference ignores -output for such a command.
  bool ignores_output = false;
  // Lines for stderr, without their newlines.
  std::vector<std::string> notes;
  // Further lines for stderr that are known only after everything is written,
  // or an empty function.
  std::function<std::vector<std::string>()> met;
  // If not OK, the command failed. The rest of the answer is still written.
  absl::Status status;

  const Form* FindForm(std::string_view name) const {
    for (const Form& form : forms) {
      if (form.name == name) return &form;
    }
    return nullptr;
  }

  // Keeps `value` alive as long as the answer and its copies. Returns a
  // reference to it for tables and forms.
  template <typename T>
  const T& Keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    const T& reference = *kept;
    owned.push_back(std::move(kept));
    return reference;
  }
  std::vector<std::shared_ptr<const void>> owned;
};

// Makes an answer with one table. The facts of the table become the facts of
// the answer.
inline Answer TableAnswer(DataTable table) {
  Answer answer;
  answer.data.kind = table.kind;
  answer.data.facts = std::exchange(table.facts, {});
  answer.data.parts.push_back({"", std::move(table)});
  return answer;
}

// Makes an answer with several tables.
inline Answer DocumentAnswer(DataDocument document) {
  Answer answer;
  answer.data = std::move(document);
  return answer;
}

inline Answer ErrorAnswer(absl::Status status) {
  Answer answer;
  answer.status = std::move(status);
  return answer;
}

// Adds the command line of this answer ("op -step 1") as its first fact.
inline void AddCommand(std::string line, Answer* answer) {
  DataFacts& facts = answer->data.facts;
  facts.insert(facts.begin(),
               {{"command", "", util::Unit::kText}, std::move(line)});
}

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_ANSWER_H_
