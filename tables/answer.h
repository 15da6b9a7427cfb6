// Answer: what a command has to say, before anything decides where it goes.
//
// A command on a workspace returns an Answer and prints nothing. The writers
// (answer_writer.h) turn one Answer into each output: a table on a screen, the
// text of the reference, JSON, NDJSON, CSV, Markdown, JUnit, files. A shell
// line, the program's arguments, a script and, later, a server ask the same
// commands and use the same writers, so that no output says what another one
// does not know.
//
// An Answer may point into the profiles that it was asked of, which must
// outlive it. Anything else that its tables and forms point into (a report, an
// advice) it owns: see Keep(). Making one is cheap: rows and texts are produced
// when they are written.

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
#include "util/sink.h"

namespace tfprof {

struct Answer {
  // One way to write the answer that is no table.
  struct Form {
    std::string name;  // the word of -output: "text", "junit"
    std::function<void(const TextLook& look, Sink& sink)> write;
    // Names in it are harmless to a terminal (util/safe_text.h), and escape
    // sequences are our own. Else the bytes are those of the profile.
    bool safe = false;
  };
  // A file that the command was asked to write: a trace, a saved profile.
  struct File {
    std::string path;
    std::function<absl::Status(Sink& sink)> write;
    // Text for stdout when the file is open and nothing is written yet.
    std::string begins = {};
    // Text for stdout when the file is written, and the error when it cannot be
    // written; empty: no text, and the reason itself.
    std::function<std::string()> done = {};
    std::function<absl::Status(const absl::Status& reason)> failed = {};
    // Its share of the work of all files, in any unit.
    size_t work = 1;
  };

  // Facts and tables. One table without a title is the answer itself: JSON has
  // its columns and rows at the top.
  DataDocument data;
  std::vector<Form> forms;
  // The form that is written where -output asks for none: to what is no
  // terminal, to a terminal, and for an agent. Empty: the table, and short
  // Markdown for an agent.
  std::string default_form;
  std::string screen_form;
  std::string agent_form;
  // Harmless sentences, a line each, that a person in front of a window sees
  // before the table.
  std::string introduction;
  // Of the table, rows that a window without a pager has no room for are
  // counted instead of shown.
  bool cut_to_window = false;
  std::vector<File> files;
  // Not empty: the files are those of this folder, which is made with all of
  // them or not at all; their paths are names in it.
  std::string folder;
  // It is on stdout, whatever -output asks for that is no format: the reference
  // does not hear -output there.
  bool ignores_output = false;
  // Lines for stderr, each without its newline.
  std::vector<std::string> notes;
  // The same, known when all has been written; empty: none.
  std::function<std::vector<std::string>()> met;
  // Not OK: the command failed. What the answer has is written all the same.
  absl::Status status;

  const Form* FindForm(std::string_view name) const {
    for (const Form& form : forms) {
      if (form.name == name) return &form;
    }
    return nullptr;
  }

  // Makes `value` live as long as the answer and its copies. The reference is
  // to it, for tables and forms to point to.
  template <typename T>
  const T& Keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    const T& reference = *kept;
    owned.push_back(std::move(kept));
    return reference;
  }
  std::vector<std::shared_ptr<const void>> owned;
};

// An answer of one table, whose facts are those of the answer.
inline Answer TableAnswer(DataTable table) {
  Answer answer;
  answer.data.kind = table.kind;
  answer.data.facts = std::exchange(table.facts, {});
  answer.data.parts.push_back({"", std::move(table)});
  return answer;
}

// An answer of several tables.
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

// Puts the line that gives this answer ("op -step 1") first among its facts.
inline void AddCommand(std::string line, Answer* answer) {
  DataFacts& facts = answer->data.facts;
  facts.insert(facts.begin(), {{"command", "", Unit::kText}, std::move(line)});
}

}  // namespace tfprof

#endif  // TFPROF_TABLES_ANSWER_H_
