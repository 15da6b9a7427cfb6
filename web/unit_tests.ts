// All unit tests of the pages. They run in node.

import "./serve/page_unit_tests";
import "./serve/unit_tests";
import "./shared/unit_tests";
import { runTests } from "./shared/testing";
import "./timeline/files_unit_tests";
import "./timeline/lanes_unit_tests";
import "./timeline/sums_unit_tests";
import "./timeline/unit_tests";

void runTests();
