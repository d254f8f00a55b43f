#!/usr/bin/env bash
# The walk of docs/docker.md as a test: builds the image, starts the cluster, kills, stops, pauses and
# restarts its members, ends it gracefully, and replays on this host what the containers recorded.
# Once with each compose there is: `docker compose` and docker-compose.
#
# usage: walk.sh BIN_DIRECTORY
#   FENCEPOST_IMAGE          take this image, and build none
#   FENCEPOST_BUILD_OPTIONS  more options of docker build, e.g. "--network host"
#   CI=true                  no engine is a failure; otherwise the test is skipped (exit code 77)
set -euo pipefail

bin=$(readlink -f "$1")
source=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
patience=120 # seconds of waiting for a state of the group
skipped=77

say() { printf '%s\n' "$*"; }
die() {
  say "FAILED: $*" >&2
  exit 1
}
no_engine() {
  if [[ ${CI:-} == true ]]; then die "$*, and CI=true"; fi
  say "SKIPPED: $*"
  exit $skipped
}

command -v docker >/dev/null || no_engine 'there is no docker'
docker info >/dev/null 2>&1 || no_engine 'no docker engine answers'
tools=()
if docker compose version >/dev/null 2>&1; then tools+=('docker compose'); fi
if command -v docker-compose >/dev/null; then tools+=(docker-compose); fi
[[ ${#tools[@]} -gt 0 ]] || no_engine 'there is neither docker compose nor docker-compose'

if [[ -z ${FENCEPOST_IMAGE:-} ]]; then
  export FENCEPOST_IMAGE=fencepost:test
  say "== building the image"
  # shellcheck disable=SC2086 # options are words
  docker build ${FENCEPOST_BUILD_OPTIONS:-} -f "$source/docker/Dockerfile" -t "$FENCEPOST_IMAGE" \
    "$source"
fi

scratch=$(mktemp -d)
export FENCEPOST_PACE_MS=100
export COMPOSE_PROJECT_NAME="fencepost-walk-$$"
compose=()
clean_up() {
  local code=$?
  trap - EXIT
  if [[ ${#compose[@]} -gt 0 ]]; then
    if ((code != 0)); then compose logs --tail 40 >&2 || true; fi
    compose down --volumes --timeout 1 >/dev/null 2>&1 || true
  fi
  rm -rf "$scratch"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

compose() { "${compose[@]}" -f "$source/docker/compose.yaml" "$@"; }

# Commands of compose say what they do on stderr; that is of interest only if they fail.
quietly() {
  "$@" >"$scratch/output" 2>&1 || {
    cat "$scratch/output" >&2
    die "$*"
  }
}

stable_with() {
  compose exec -T clock fencepost status --wait Stable --members "$1" --timeout "$patience" \
    </dev/null || die "the group is not Stable with $1 members"
}

# ---- what must have happened, from what the containers recorded ----

ticks_of() { sed -n "s/.*{tick: \([0-9]*\), $1: $2[,}].*/\1/p" "$scratch/run/journal.yaml"; }

# The answer to the first request to the coordinator that a member sent after it went on.
first_answer_after() {
  awk -v tick="$2" -v member="$1" '
    $2 > tick && $4 == "B1" && $5 == member &&
      / (Heartbeat|OffsetCommit|JoinGroup|SyncGroup) Response/ { print; exit }' "$scratch/packets"
}

# Once at least: on a busy machine a member may count as stopped for a moment besides.
refused_when_it_goes_on() {
  local tick answer=nothing
  for tick in $(ticks_of thaw "$1"); do
    answer=$(first_answer_after "$1" "$tick")
    if [[ $answer == *UNKNOWN_MEMBER_ID* ]]; then
      say "$answer"
      return
    fi
  done
  die "$1 was not refused when it went on: $answer"
}

everything_ended_well() {
  local container
  for container in $(compose ps --all --quiet 2>/dev/null || compose ps --quiet); do
    docker inspect --format '{{.Name}} {{.State.Status}} {{.State.ExitCode}}' "$container"
  done >"$scratch/ends"
  [[ $(wc -l <"$scratch/ends") -eq 8 ]] || die "not all 8 services: $(<"$scratch/ends")"
  if grep -v ' exited 0$' "$scratch/ends"; then die 'not every exit code is 0'; fi
}

replays() {
  "$bin/fencepost" replay "$@" "$scratch/run" >"$scratch/output" 2>&1 ||
    die "replay $*: $(<"$scratch/output")"
  grep -q 'the same capture' "$scratch/output" || die "replay $*: $(<"$scratch/output")"
  say "replay${1:+ $1}: the same capture"
}

nothing_is_left() {
  local label="label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" left
  left=$(docker ps --all --quiet --filter "$label" && docker network ls --quiet --filter "$label" &&
    docker volume ls --quiet --filter "$label")
  [[ -z $left ]] || die "left behind: $left"
}

# ---- the walk ----

walk() {
  say "== $*: up"
  compose=("$@")
  quietly compose up -d
  stable_with 3

  say '== kill -9 of consumer-2, a zombie consumer-3'
  quietly compose kill -s SIGKILL consumer-2
  stable_with 2
  quietly compose kill -s SIGSTOP consumer-3
  stable_with 1 # so it was silent for longer than the session timeout
  quietly compose kill -s SIGCONT consumer-3
  stable_with 2

  say '== consumer-2 once more, and consumer-1 paused'
  quietly compose start consumer-2
  stable_with 3
  quietly compose pause consumer-1
  stable_with 2
  quietly compose unpause consumer-1
  stable_with 3

  say '== the end'
  quietly compose stop
  everything_ended_well
  rm -rf "$scratch/run"
  docker cp "$(docker ps --all --quiet --filter "label=com.docker.compose.service=clock" \
    --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME"):/runs/compose" \
    "$scratch/run" >/dev/null
  "$bin/fencepost" packets "$scratch/run" >"$scratch/packets"
  refused_when_it_goes_on C3
  refused_when_it_goes_on C1
  for member in C1 C2 C3; do
    grep -Eq " $member +B1 .*LeaveGroup Request" "$scratch/packets" || die "$member did not leave"
  done
  [[ -n $(ticks_of kill C2) ]] || die 'the journal does not have the kill'
  replays
  replays --in-process

  say '== up again: the earlier run is kept'
  quietly compose up -d
  stable_with 3
  compose exec -T clock test -f /runs/compose.1/capture.bin </dev/null || die 'no compose.1'
  quietly compose down --volumes
  nothing_is_left
  compose=()
}

# The other members. A static one that is back within its session gives no new generation.
profiles() {
  compose=("$@")
  say "== $*: cooperative"
  export COMPOSE_PROFILES=cooperative
  quietly compose up -d
  stable_with 3
  quietly compose down --volumes

  say "== $*: static"
  export COMPOSE_PROFILES=static FENCEPOST_PACE_MS=500
  quietly compose up -d
  stable_with 3
  local before after
  before=$(generation)
  quietly compose kill -s SIGKILL static-2
  quietly compose start static-2
  until_it_has_joined C2
  after=$(generation)
  [[ -n $before && $before == "$after" ]] || die "generation $before became $after"
  quietly compose down --volumes
  nothing_is_left
  unset COMPOSE_PROFILES
  export FENCEPOST_PACE_MS=100
  compose=()
}

# Its second life has an answer to its JoinGroup.
until_it_has_joined() {
  local deadline=$((SECONDS + patience))
  until (($(compose exec -T clock fencepost packets /runs/compose --only JoinGroup </dev/null |
    grep -Ec " B1 +$1 .*JoinGroup Response.*gen=") > 1)); do
    ((SECONDS < deadline)) || die "$1 has not joined again"
    sleep 1
  done
}

generation() {
  compose exec -T clock fencepost status </dev/null | sed -n 's/.*generation \([0-9]*\).*/\1/p'
}

for tool in "${tools[@]}"; do
  read -ra words <<<"$tool"
  walk "${words[@]}"
  profiles "${words[@]}"
done
say 'the walk is over; everything was as it must be'
