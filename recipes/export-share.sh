#!/bin/sh
# Exports a share of the recordings that a file lists, one a line: task K of N takes the lines K, K+N, K+2N and so on.
#
#   recipes/export-share.sh RECORDINGS.txt DIR [OPTIONS of ptflame export]
#
# Slurm, or Kubernetes (with TASKS), says which task it is; TASK and TASKS do, too. It ends with 1 if a recording failed,
# after the others. To run it again does no harm: what DIR has already is not decoded again.
set -eu

list=$1
folder=$2
shift 2

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  task=$SLURM_ARRAY_TASK_ID tasks=${TASKS:-$SLURM_ARRAY_TASK_MAX}
elif [ -n "${JOB_COMPLETION_INDEX:-}" ]; then
  task=$((JOB_COMPLETION_INDEX + 1)) tasks=$TASKS
else
  task=${TASK:-1} tasks=${TASKS:-1}
fi

# What the scheduler grants; ptflame would take the whole machine for its own.
[ -z "${SLURM_CPUS_PER_TASK:-}" ] || set -- -j "$SLURM_CPUS_PER_TASK" "$@"
[ -z "${SLURM_MEM_PER_NODE:-}" ] || set -- --memory "$((SLURM_MEM_PER_NODE * 3 / 4))M" "$@"

failed=0
share=$(mktemp)
trap 'rm -f "$share"' EXIT
awk -v task="$task" -v tasks="$tasks" 'NF && NR % tasks == task % tasks' "$list" >"$share"
while IFS= read -r recording; do
  "${PTFLAME:-ptflame}" export "$recording" --to "parquet:$folder" "$@" </dev/null || failed=1
done <"$share"
exit "$failed"
