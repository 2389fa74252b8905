#!/usr/bin/env bash
# Judges a target on a build server with the appliance-conformance on the PATH, and ends with the exit code of the run.
#
#   TARGET              profile file, or reference, mutant:NAME, variant:NAME
#   NAME                one for each target; the files of the run are in conformance-runs/NAME/results
#   LEVEL, JUNIT_INCONCLUSIVE, CERTIFY (true): the options of run; may be empty
#   SEED                what generated requests, and a sample, are drawn from; empty: the same every night
#   SAMPLE              take so many appliances of each kind; empty: what the profile says, or all
#   WAIT                how many seconds to wait at most for the target to answer; empty: none
#   ONLY_NEW (true)     end with the code of diff, so that a known failure is no red night; the first night has nothing to compare with
#   VARIABLES           the secrets of the profile, NAME=value, one a line
#
# What a run that reached a verdict has found is kept in conformance-runs/NAME/baseline, and the next run says what is new
# since. Without a verdict (2, 3, 5) the older results stay. Files with a secret in them are put aside, so that no server keeps them.
# What the last night has left in conformance-runs/NAME/results goes before the run begins, so that a run which ends early leaves
# nothing that looks like its own; a certificate of that night moves to conformance-runs/NAME/certificates, with its ledger.
#
# What the history needs of each night, at most a year of them, is kept in conformance-runs/NAME/history, also of a night that left no
# results; the page of all nights is conformance-runs/NAME/results/history.html.
#
# What a run owes to an appliance is kept in conformance-runs/NAME/state until it is put back. Where the job of an earlier night was
# killed, this one begins by putting that back; without that directory nobody knows of it.
set -euo pipefail

refuse() {
  echo "$1" >&2
  exit 2
}

# A directory in $1 that is named after the present second: two nights that end in one second are two.
new_night() {
  night=$1/$(date -u +%Y-%m-%dT%H%M%SZ)
  while [[ -e $night ]]; do
    night+=+
  done
  mkdir -p "$night"
}

# Leaves the latest 366 directories of $1.
keep_a_year() {
  local nights=("$1"/*/)
  for ((i = 0; i < ${#nights[@]} - 366; i++)); do
    rm -r "${nights[i]}"
  done
}

[[ ${NAME:-} =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || refuse "NAME: letters, digits, dots and dashes"
[[ -n ${TARGET:-} && $TARGET != -* ]] || refuse "TARGET: a profile file, or a server of the suite"
results=conformance-runs/$NAME/results
baseline=conformance-runs/$NAME/baseline
state=conformance-runs/$NAME/state
history=conformance-runs/$NAME/history
certificates=conformance-runs/$NAME/certificates
outputs=${GITHUB_OUTPUT:-/dev/null}

words=("$TARGET" --out "$results" --state "$state" --junit-inconclusive "${JUNIT_INCONCLUSIVE:-skipped}")
if [[ -n ${LEVEL:-} ]]; then
  words+=(--level "$LEVEL")
fi
if [[ ${CERTIFY:-} == true ]]; then
  words+=(--certify)
fi
if [[ -n ${SEED:-} ]]; then
  words+=(--seed "$SEED")
fi
if [[ -n ${SAMPLE:-} ]]; then
  words+=(--sample "$SAMPLE")
fi
if [[ -n ${WAIT:-} ]]; then
  words+=(--wait-for-target "$WAIT")
fi
compares=false
if [[ -f $baseline/results.json ]]; then
  if appliance-conformance report "$baseline/results.json" --format badge >/dev/null; then
    words+=(--baseline "$baseline/results.json")
    compares=true
  else
    echo "the last results cannot be read: nothing is compared"
  fi
fi

while IFS= read -r line; do
  line=${line%$'\r'}
  [[ -n $line ]] || continue
  [[ $line =~ ^[[:space:]]*([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] || refuse "VARIABLES: a line is not NAME=value"
  export "${BASH_REMATCH[1]}=${BASH_REMATCH[2]}"
  if [[ ${GITHUB_ACTIONS:-} == true && -n ${BASH_REMATCH[2]} ]]; then
    echo "::add-mask::${BASH_REMATCH[2]//%/%25}"
  fi
done <<<"${VARIABLES:-}"
unset VARIABLES

mkdir -p "$state"
for owed in "$state"/*.ndjson; do
  if [[ -f $owed && $owed != */restore-evidence*.ndjson ]]; then
    appliance-conformance restore "$owed" || echo "what an earlier night has written is still owed"
  fi
done
touch "$state/.kept" # a directory that a cache keeps must not be empty
if [[ -f $results/certificate.json ]]; then
  new_night "$certificates"
  mv "$results"/certificate.* "$results/evidence.ndjson" "$night/"
  keep_a_year "$certificates"
fi
rm -rf "$results"
echo "results=$results" >>"$outputs"
status=0
appliance-conformance run "${words[@]}" || status=$?
echo "exit-code=$status" >>"$outputs"
if [[ $status == 5 ]] && grep -qs '"kind": "leaked"' "$results/results.json"; then
  rm -rf "conformance-runs/$NAME/leaked"
  mv "$results" "conformance-runs/$NAME/leaked"
fi

new_night "$history"
job=${CI_JOB_URL:-${BUILD_URL:-${GITHUB_RUN_ID:+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID}}}
printf '{"at": "%s", "exit_code": %d, "url": "%s"}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$status" "${job//[\"\\]/}" >"$night/night.json"
keep_a_year "$history"
if [[ $status != 5 && -f $results/results.json ]]; then # a run that ended before it began leaves none
  gzip -9 -c "$results/results.json" >"$night/results.json.gz"
  cp "$results/changes.json" "$night/" 2>/dev/null || true # there is none without a baseline
  appliance-conformance history "$history" -o "$results/history.html" || echo "no page of all nights was made"
fi

case $status in
0 | 1 | 4)
  if [[ ${ONLY_NEW:-} == true && $compares == true ]]; then
    status=0
    told=$(appliance-conformance diff "$baseline" "$results") || status=$?
    if [[ $status == 0 ]]; then
      echo "green because nothing is new. ${told%%$'\n'*}"
    else
      echo "$told"
    fi
  fi
  rm -rf "$baseline"
  mkdir -p "$baseline"
  cp "$results/results.json" "$results/evidence.ndjson" "$baseline/"
  cp "$results/changes.json" "$baseline/" 2>/dev/null || true # since when a failure is known
  echo "reached=true" >>"$outputs"
  ;;
esac
exit "$status"
