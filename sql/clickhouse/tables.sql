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
SELECT
  t.id AS id, t.build AS build, t.host AS host, t.started_at AS started_at,
  t.clock_start_ns AS clock_start_ns, t.duration_ns AS duration_ns, t.threads AS threads, t.command AS command,
  t.kernel AS kernel, t.cpu AS cpu, t.perf AS perf, t.ptflame AS ptflame,
  t.events AS events, t.total_ns AS total_ns, t.lost_ns AS lost_ns, t.inferred_ns AS inferred_ns,
  t.has_switches AS has_switches, t.part AS part, t.input AS input, t.schema AS schema
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
SELECT
  t.id AS id, t.comm AS comm, t.path AS path, t.parent AS parent,
  t.function AS function, t.name AS name, t.file AS file, t.kind AS kind,
  t.depth AS depth, t.calls AS calls, t.inferred_calls AS inferred_calls, t.unwound_calls AS unwound_calls,
  t.self_ns AS self_ns, t.inferred_ns AS inferred_ns, t.complete_ns AS complete_ns,
  t.longest_cut_ns AS longest_cut_ns,
  t.min_ns AS min_ns, t.max_ns AS max_ns
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
SELECT
  t.id AS id, t.comm AS comm, t.function AS function, t.name AS name,
  t.file AS file, t.kind AS kind, t.source_file AS source_file, t.source_line AS source_line,
  t.calls AS calls, t.inferred_calls AS inferred_calls, t.unwound_calls AS unwound_calls, t.self_ns AS self_ns,
  t.total_ns AS total_ns, t.on_cpu_ns AS on_cpu_ns, t.off_cpu_ns AS off_cpu_ns, t.outside_ns AS outside_ns,
  t.outside_self_ns AS outside_self_ns, t.inferred_ns AS inferred_ns, t.complete_ns AS complete_ns,
  t.longest_cut_ns AS longest_cut_ns,
  t.min_ns AS min_ns, t.max_ns AS max_ns
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
SELECT
  t.id AS id, t.function AS function, t.bucket_low_ns AS bucket_low_ns, t.bucket_high_ns AS bucket_high_ns,
  t.calls AS calls
FROM file(
  '/data/fleet/durations/build=*/host=*/*.parquet', 'Parquet',
  'id String, function Int64, bucket_low_ns Int64, bucket_high_ns Int64, calls Int64'
) AS t
WHERE extract(t._path, '/build=[^/]*/host=[^/]*/[^/]*$') IN (SELECT f.place FROM recorded_files AS f)
SETTINGS use_hive_partitioning = 0;
