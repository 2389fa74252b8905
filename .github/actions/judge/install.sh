#!/usr/bin/env bash
# Installs the suite this script belongs to, with the versions it was tested with, into an environment of its own.
set -euo pipefail
suite=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
home=${RUNNER_TEMP:?}/appliance-conformance
python3 -m venv "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check --constraint "$suite/.ci/constraints.txt" "$suite"
echo "$home/bin" >>"${GITHUB_PATH:?}"
