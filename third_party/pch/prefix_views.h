// The headers of prefix.h, and those of the project that most files of the
// rooms after tables/ include: the views and the answer of a command, with the
// profile below them.

#include "third_party/pch/prefix.h"

#include "tables/answer.h"
#include "views/views.h"
