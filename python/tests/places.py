"""Where the tests find files of the project."""

import os
from pathlib import Path

# The path is not resolved: under Bazel, this is a tree of links.
ROOT = Path(os.path.abspath(__file__)).parents[2]
PROFILES = ROOT / "tests" / "golden" / "profiles"
RESNET = PROFILES / "conv_resnet" / "profile.pb"
TINY = PROFILES / "tiny_const"
RUNS = ROOT / "tests" / "compare" / "runs"
