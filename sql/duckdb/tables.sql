-- The tables of `ptflame export --to parquet:DIR` in DuckDB, from lists of files; files.sql makes the lists of a
-- folder. Folders are not read as columns: build and host are those of the table recordings.
CREATE VIEW recordings AS SELECT * FROM read_parquet(getvariable('recordings_files'), hive_partitioning = false);
CREATE VIEW paths AS SELECT * FROM read_parquet(getvariable('paths_files'), hive_partitioning = false);
CREATE VIEW functions AS SELECT * FROM read_parquet(getvariable('functions_files'), hive_partitioning = false);
CREATE VIEW durations AS SELECT * FROM read_parquet(getvariable('durations_files'), hive_partitioning = false);
