#!/bin/sh
# Sums up a folder that recordings were exported to: DIR.txt has its functions, DIR.html one flame graph of all.
#
#   recipes/reduce.sh DIR
set -eu

folder=${1%/}
"${PTFLAME:-ptflame}" fleet "$folder" >"$folder.txt.new"
mv "$folder.txt.new" "$folder.txt"
"${PTFLAME:-ptflame}" merge "$folder" -o "$folder.html"
