#!/usr/bin/env bash
# Runs the bundled tests of the page's parts in node.
set -euo pipefail
exec node --unhandled-rejections=strict "$1"
