// The headers of prefix.h and those of the test library, for tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "third_party/pch/prefix.h"
