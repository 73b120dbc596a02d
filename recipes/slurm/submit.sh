#!/bin/sh
# Exports recordings with an array of Slurm tasks, then sums them up with a job that waits for all of them.
#
#   recipes/slurm/submit.sh RECORDINGS.txt DIR [OPTIONS of ptflame export]
#
# RECORDINGS.txt has a path a line; all nodes must see the recordings, their binaries, and DIR. It prints the ids of both
# jobs. If a task fails, the second one is cancelled: run the same again, and only what is missing is decoded.
#
#   TASKS    at most so many tasks (1000: Slurm's own limit is 1001, MaxArraySize)
#   SBATCH   options of sbatch for the tasks, such as '--mem=8G --cpus-per-task=4 --time=1:00:00 --partition=batch'
set -eu

list=$1
folder=$2
shift 2
recipes=$(cd "$(dirname "$0")/.." && pwd)

recordings=$(grep -c . "$list")
tasks=${TASKS:-1000}
[ "$recordings" -ge "$tasks" ] || tasks=$recordings

# shellcheck disable=SC2086 # options are words
export_job=$(TASKS=$tasks sbatch --parsable --array="1-$tasks" ${SBATCH:-} "$recipes/export-share.sh" "$list" "$folder" "$@")
reduce_job=$(sbatch --parsable --dependency="afterok:$export_job" --kill-on-invalid-dep=yes "$recipes/reduce.sh" "$folder")
echo "$export_job $reduce_job"
