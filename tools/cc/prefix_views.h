// The views, and the headers of prefix.h, for targets that depend on //views.

#include "tools/cc/prefix.h"
#include "views/views.h"
