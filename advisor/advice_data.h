// Advice as a DataTable: a row for each finding, in the order of Rank(), with
// the keys of AdviceJson as columns.

#ifndef TFPROF_ADVISOR_ADVICE_DATA_H_
#define TFPROF_ADVISOR_ADVICE_DATA_H_

#include "advisor/advice.h"
#include "tables/data_table.h"

namespace tfprof {

// `advice` must outlive the table.
DataTable AdviceData(const Advice& advice);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_ADVICE_DATA_H_
