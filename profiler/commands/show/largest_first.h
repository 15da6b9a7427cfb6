// Reports for people at a terminal and for agents: the most expensive rows come
// first, rows without weight are left out, and a last line says how much all
// rows together hold that are not shown:
//
//   + 20 rows, 20.60ms (96.2%)
//
// The reference's order and limits stay for files, pipes and -output text.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_LARGEST_FIRST_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_LARGEST_FIRST_H_

#include <optional>
#include <string>

#include "accounting/statistics.h"
#include "profiler/commands/commands.h"
#include "tables/answer.h"
#include "views/options.h"
#include "views/report.h"
#include "views/views.h"

namespace tfprof::commands {

// The statistic of the first column of numbers; nullopt: the columns have none.
std::optional<accounting::Stat> FirstCost(views::View view,
                                          const views::ViewOptions& options);

// For a profile of memory, which has bytes and no time: the sizes that it has,
// instead of the time that is the default of -select; else the same.
views::FieldSet SelectBytesOnly(views::View view,
                                const options::Options& options,
                                views::Views& views);

// The options with the order and the smallest value of a report for reading, if
// `options` asks for it and the profile has any cost; otherwise its own.
// `stat`: receives the statistic that the rows are sorted by.
views::ViewOptions ForReading(views::View view, const options::Options& options,
                              views::Views& views,
                              std::optional<accounting::Stat>& stat);

// Whether a view makes frames of libraries part of the lines that called them:
// for a reader, who did not choose rows by name or ask for all frames.
bool FoldsLibraries(views::View view, const options::Options& options);

// "+ 20 rows, 20.60ms (96.2%)": what the report leaves out if its first `shown`
// rows are shown. "": nothing of this statistic.
std::string HiddenText(const views::Report& report, accounting::Stat stat,
                       size_t shown);

// Adds the forms of `answer` for terminals and agents, which end in such a
// line. `report` is kept by the answer; `answer.data` is its table.
void AddReadingForms(const views::Report& report, accounting::Stat stat,
                     const Command& command, tables::Answer& answer);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_LARGEST_FIRST_H_
