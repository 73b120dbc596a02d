-- Lists the files of the folder in the variable ptflame_dir, for tables.sql: SET VARIABLE ptflame_dir = '/data/fleet';
-- A recording is complete if the table recordings has it, and counts once if it is in two places.
SET VARIABLE recordings_files = (
  SELECT list(f.first_file ORDER BY f.first_file)
  FROM (
    SELECT min(g.file) AS first_file
    FROM glob(getvariable('ptflame_dir') || '/recordings/build=*/host=*/*.parquet') AS g
    WHERE regexp_matches(g.file, '/[0-9a-f]{64}\.parquet$')
    GROUP BY right(g.file, 72)
  ) AS f
);
SET VARIABLE paths_files = (
  SELECT list(getvariable('ptflame_dir') || '/paths' || f[length(getvariable('ptflame_dir')) + 12:])
  FROM (SELECT unnest(getvariable('recordings_files')) AS f)
);
SET VARIABLE functions_files = (
  SELECT list(getvariable('ptflame_dir') || '/functions' || f[length(getvariable('ptflame_dir')) + 12:])
  FROM (SELECT unnest(getvariable('recordings_files')) AS f)
);
SET VARIABLE durations_files = (
  SELECT list(getvariable('ptflame_dir') || '/durations' || f[length(getvariable('ptflame_dir')) + 12:])
  FROM (SELECT unnest(getvariable('recordings_files')) AS f)
);
