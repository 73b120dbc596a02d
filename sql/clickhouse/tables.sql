-- The tables of `ptflame export --to parquet:DIR` in ClickHouse, read from the files in place. Replace /data/fleet by
-- DIR; a server reads only below its user_files_path (docs/fleet.md has the command).
-- Each column has its type, so that files need not agree on what is missing. Folders are not read as columns: build and
-- host are those of the table recordings. A recording is complete if that table has it, and counts once if it is in two
-- places: the least of them.

-- What follows the name of the table in the path of a file, of each recording.
CREATE VIEW recorded_files AS
SELECT r.id AS id, min(extract(r._path, '/build=[^/]*/host=[^/]*/[^/]*$')) AS place
FROM file('/data/fleet/recordings/build=*/host=*/*.parquet', 'Parquet', 'id String') AS r
GROUP BY r.id
SETTINGS use_hive_partitioning = 0;

CREATE VIEW recordings AS
SELECT t.*
FROM file(
  '/data/fleet/recordings/build=*/host=*/*.parquet', 'Parquet',
  'id String, build Nullable(String), host Nullable(String), started_at Nullable(DateTime64(3)), clock_start_ns Int64,
   duration_ns Int64, threads Int32, command Nullable(String), kernel Nullable(String), cpu Nullable(String),
   perf Nullable(String), ptflame String, events Int64, total_ns Int64, lost_ns Int64, inferred_ns Int64,
   has_switches Nullable(Bool), part Nullable(String), input String, schema Int32'
) AS t
WHERE extract(t._path, '/build=[^/]*/host=[^/]*/[^/]*$') IN (SELECT f.place FROM recorded_files AS f)
SETTINGS use_hive_partitioning = 0;

CREATE VIEW paths AS
SELECT t.*
FROM file(
  '/data/fleet/paths/build=*/host=*/*.parquet', 'Parquet',
  'id String, comm Nullable(String), path Int64, parent Nullable(Int64), function Int64, name String,
   file Nullable(String), kind String, depth Int32, calls Int64, inferred_calls Int64, unwound_calls Int64,
   self_ns Int64, inferred_ns Int64, complete_ns Int64, longest_cut_ns Nullable(Int64), min_ns Nullable(Int64),
   max_ns Nullable(Int64)'
) AS t
WHERE extract(t._path, '/build=[^/]*/host=[^/]*/[^/]*$') IN (SELECT f.place FROM recorded_files AS f)
SETTINGS use_hive_partitioning = 0;

CREATE VIEW functions AS
SELECT t.*
FROM file(
  '/data/fleet/functions/build=*/host=*/*.parquet', 'Parquet',
  'id String, comm Nullable(String), function Int64, name String, file Nullable(String), kind String,
   source_file Nullable(String), source_line Nullable(Int32), calls Int64, inferred_calls Int64, unwound_calls Int64,
   self_ns Int64, total_ns Int64, on_cpu_ns Int64, off_cpu_ns Int64, outside_ns Int64, outside_self_ns Int64,
   inferred_ns Int64, complete_ns Int64, longest_cut_ns Nullable(Int64), min_ns Nullable(Int64), max_ns Nullable(Int64)'
) AS t
WHERE extract(t._path, '/build=[^/]*/host=[^/]*/[^/]*$') IN (SELECT f.place FROM recorded_files AS f)
SETTINGS use_hive_partitioning = 0;

CREATE VIEW durations AS
SELECT t.*
FROM file(
  '/data/fleet/durations/build=*/host=*/*.parquet', 'Parquet',
  'id String, function Int64, bucket_low_ns Int64, bucket_high_ns Int64, calls Int64'
) AS t
WHERE extract(t._path, '/build=[^/]*/host=[^/]*/[^/]*$') IN (SELECT f.place FROM recorded_files AS f)
SETTINGS use_hive_partitioning = 0;
