// The test library, and the headers of prefix.h, for unit tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cc/prefix.h"
