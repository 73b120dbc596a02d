#!/bin/sh
# Sums up a folder that recordings were exported to: DIR.txt has its functions, DIR.html one flame graph of all.
#
#   recipes/reduce.sh DIR
#
# It needs DuckDB: npm install --global @duckdb/node-api@1.5.6-r.1
set -eu

folder=${1%/}
"${PTFLAME:-ptflame}" fleet "$folder" >"$folder.txt.new"
mv "$folder.txt.new" "$folder.txt"
"${PTFLAME:-ptflame}" merge "$folder" -o "$folder.html"
