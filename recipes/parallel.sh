#!/bin/sh
# Exports recordings on this machine with GNU parallel, then sums them up.
#
#   recipes/parallel.sh RECORDINGS.txt DIR [OPTIONS of ptflame export]
#
# RECORDINGS.txt has a path a line. Run it again after an error: only what is missing is decoded.
#
#   TASKS    recordings at a time (a quarter of the CPUs); each has an equal part of the CPUs, and of half the memory
set -eu

list=$1
folder=$2
shift 2
recipes=$(cd "$(dirname "$0")" && pwd)

cpus=$(nproc)
tasks=${TASKS:-$(((cpus + 3) / 4))}
memory=$(awk -v tasks="$tasks" '/^MemTotal:/ { print int($2 / 1024 / 2 / tasks) }' /proc/meminfo)

grep . "$list" | parallel -q -j "$tasks" "${PTFLAME:-ptflame}" export {} --to "parquet:$folder" \
  -j "$(((cpus + tasks - 1) / tasks))" --memory "${memory}M" "$@"
sh "$recipes/reduce.sh" "$folder"
