-- The questions of `ptflame fleet`, as views of the tables recordings, paths, functions and durations (docs/fleet.md).
-- This file runs unchanged on DuckDB and ClickHouse. First run tables.sql of the engine, which defines the tables.
-- Columns are qualified throughout: in ClickHouse, a bare name would mean the alias next to it.
-- An unknown build or host is the empty text. Ratios of nothing are NULL.

-- Functions over all recordings. avg_ns, min_ns and max_ns are of complete calls.
CREATE VIEW fleet_functions AS
SELECT
  f.function AS function,
  min(f.name) AS name,
  min(f.file) AS file,
  min(f.kind) AS kind,
  count(DISTINCT f.id) AS recordings,
  sum(f.calls) AS calls,
  sum(f.inferred_calls) AS inferred_calls,
  sum(f.unwound_calls) AS unwound_calls,
  sum(f.self_ns) AS self_ns,
  sum(f.total_ns) AS total_ns,
  sum(f.on_cpu_ns) AS on_cpu_ns,
  sum(f.off_cpu_ns) AS off_cpu_ns,
  sum(f.outside_ns) AS outside_ns,
  sum(f.inferred_ns) AS inferred_ns,
  sum(f.complete_ns) AS complete_ns,
  CAST(sum(f.complete_ns) AS DOUBLE) / nullif(sum(f.calls) - sum(f.inferred_calls), 0) AS avg_ns,
  min(f.min_ns) AS min_ns,
  max(f.max_ns) AS max_ns,
  max(f.longest_cut_ns) AS longest_cut_ns
FROM functions AS f
GROUP BY f.function;

-- Histograms over all recordings. A bucket stands for its middle; `reached` counts the calls in it and below it.
CREATE VIEW fleet_durations AS
SELECT
  h.function AS function,
  h.bucket_low_ns AS bucket_low_ns,
  h.bucket_high_ns AS bucket_high_ns,
  floor((CAST(h.bucket_low_ns AS DOUBLE) + CAST(h.bucket_high_ns AS DOUBLE)) / 2) AS middle_ns,
  h.calls AS calls,
  CAST(sum(h.calls) OVER (PARTITION BY h.function ORDER BY h.bucket_low_ns) AS DOUBLE) AS reached,
  CAST(sum(h.calls) OVER (PARTITION BY h.function) AS DOUBLE) AS all_calls
FROM (
  SELECT
    d.function AS function,
    d.bucket_low_ns AS bucket_low_ns,
    d.bucket_high_ns AS bucket_high_ns,
    sum(d.calls) AS calls
  FROM durations AS d
  GROUP BY d.function, d.bucket_low_ns, d.bucket_high_ns
) AS h;

-- Percentiles of complete calls, accurate to 1.6 %, and never beyond the shortest and the longest call.
CREATE VIEW fleet_percentiles AS
SELECT
  f.function AS function,
  f.name AS name,
  f.file AS file,
  p.calls AS calls,
  greatest(least(p.p50_ns, 1e0 * f.max_ns), 1e0 * f.min_ns) AS p50_ns,
  greatest(least(p.p90_ns, 1e0 * f.max_ns), 1e0 * f.min_ns) AS p90_ns,
  greatest(least(p.p99_ns, 1e0 * f.max_ns), 1e0 * f.min_ns) AS p99_ns
FROM fleet_functions AS f
JOIN (
  SELECT
    d.function AS function,
    max(d.all_calls) AS calls,
    min(CASE WHEN d.reached >= CAST(0.5 AS DOUBLE) * d.all_calls THEN d.middle_ns END) AS p50_ns,
    min(CASE WHEN d.reached >= CAST(0.9 AS DOUBLE) * d.all_calls THEN d.middle_ns END) AS p90_ns,
    min(CASE WHEN d.reached >= CAST(0.99 AS DOUBLE) * d.all_calls THEN d.middle_ns END) AS p99_ns
  FROM fleet_durations AS d
  GROUP BY d.function
) AS p ON p.function = f.function;

-- The time that all threads of a build on a host were recorded for.
CREATE VIEW recorded_time AS
SELECT
  coalesce(r.build, '') AS build,
  coalesce(r.host, '') AS host,
  count(*) AS recordings,
  sum(r.total_ns) AS total_ns
FROM recordings AS r
GROUP BY coalesce(r.build, ''), coalesce(r.host, '');

-- The average of each function on each host and build.
CREATE VIEW function_averages AS
SELECT
  r.build AS build,
  r.host AS host,
  f.function AS function,
  min(f.name) AS name,
  min(f.file) AS file,
  sum(f.total_ns) AS total_ns,
  sum(f.calls) - sum(f.inferred_calls) AS complete_calls,
  CAST(sum(f.complete_ns) AS DOUBLE) / nullif(sum(f.calls) - sum(f.inferred_calls), 0) AS avg_ns
FROM functions AS f
JOIN (
  SELECT g.id AS id, coalesce(g.build, '') AS build, coalesce(g.host, '') AS host FROM recordings AS g
) AS r ON r.id = f.id
GROUP BY r.build, r.host, f.function;

-- The same by build, with the hosts that have it, and by host, with its builds.
CREATE VIEW group_averages AS
SELECT
  'build' AS grouped_by, b.build AS group_name, b.host AS other_name,
  b.function AS function, b.name AS name, b.file AS file, b.total_ns AS total_ns, b.avg_ns AS avg_ns
FROM function_averages AS b
UNION ALL
SELECT
  'host' AS grouped_by, h.host AS group_name, h.build AS other_name,
  h.function AS function, h.name AS name, h.file AS file, h.total_ns AS total_ns, h.avg_ns AS avg_ns
FROM function_averages AS h;

-- Every two builds, and every two hosts.
CREATE VIEW compared_groups AS
SELECT 'build' AS grouped_by, x.build AS from_group, y.build AS against_group
FROM (SELECT DISTINCT t.build AS build FROM recorded_time AS t) AS x
CROSS JOIN (SELECT DISTINCT t.build AS build FROM recorded_time AS t) AS y
WHERE x.build <> y.build
UNION ALL
SELECT 'host' AS grouped_by, x.host AS from_group, y.host AS against_group
FROM (SELECT DISTINCT t.host AS host FROM recorded_time AS t) AS x
CROSS JOIN (SELECT DISTINCT t.host AS host FROM recorded_time AS t) AS y
WHERE x.host <> y.host;

-- What became slower from one build (or host) to another: the change of the average, 0.5 for half as much again. Hosts
-- that have both builds are compared with themselves: `growth` is the median over these `pairs`. If there are none, it
-- compares the medians of both builds. Name what to compare:
-- WHERE grouped_by = 'build' AND from_group = '1.0' AND against_group = '1.1' ORDER BY growth DESC
CREATE VIEW growth AS
SELECT
  p.grouped_by AS grouped_by,
  p.from_group AS from_group,
  p.against_group AS against_group,
  p.function AS function,
  min(p.name) AS name,
  min(p.file) AS file,
  count(p.growth) AS pairs,
  median(p.from_avg_ns) AS from_avg_ns,
  median(p.against_avg_ns) AS against_avg_ns,
  coalesce(median(p.growth), median(p.against_avg_ns) / nullif(median(p.from_avg_ns), 0) - 1) AS growth,
  sum(p.against_total_ns) AS against_total_ns
FROM (
  SELECT
    g.grouped_by AS grouped_by,
    c.from_group AS from_group,
    c.against_group AS against_group,
    g.other_name AS other_name,
    g.function AS function,
    min(g.name) AS name,
    min(g.file) AS file,
    max(CASE WHEN g.group_name = c.from_group THEN g.avg_ns END) AS from_avg_ns,
    max(CASE WHEN g.group_name = c.against_group THEN g.avg_ns END) AS against_avg_ns,
    max(CASE WHEN g.group_name = c.against_group THEN g.avg_ns END)
      / nullif(max(CASE WHEN g.group_name = c.from_group THEN g.avg_ns END), 0) - 1 AS growth,
    sum(CASE WHEN g.group_name = c.against_group THEN g.total_ns ELSE 0 END) AS against_total_ns
  FROM group_averages AS g
  JOIN compared_groups AS c ON c.grouped_by = g.grouped_by
  WHERE g.group_name = c.from_group OR g.group_name = c.against_group
  GROUP BY g.grouped_by, c.from_group, c.against_group, g.other_name, g.function
) AS p
GROUP BY p.grouped_by, p.from_group, p.against_group, p.function;

-- Hosts on which a function's average is unlike that on the other hosts with the same build. `score` is the distance
-- from their median, in standard deviations as estimated from the median of all distances; NULL if most hosts agree
-- exactly. More than 3.5 is unusual. `growth` is relative to the median.
CREATE VIEW host_outliers AS
SELECT
  a.build AS build,
  a.host AS host,
  a.function AS function,
  a.name AS name,
  a.file AS file,
  a.total_ns AS total_ns,
  m.hosts AS hosts,
  a.avg_ns AS avg_ns,
  m.median_ns AS median_ns,
  a.avg_ns / nullif(m.median_ns, 0) - 1 AS growth,
  abs(a.avg_ns - m.median_ns) / nullif(1.4826 * m.deviation_ns, 0) AS score
FROM function_averages AS a
JOIN (
  SELECT
    o.build AS build,
    o.function AS function,
    min(o.median_ns) AS median_ns,
    count(*) AS hosts,
    median(abs(o.avg_ns - o.median_ns)) AS deviation_ns
  FROM (
    SELECT
      f.build AS build,
      f.function AS function,
      f.avg_ns AS avg_ns,
      median(f.avg_ns) OVER (PARTITION BY f.build, f.function) AS median_ns
    FROM function_averages AS f
    WHERE f.avg_ns IS NOT NULL
  ) AS o
  GROUP BY o.build, o.function
) AS m ON m.build = a.build AND m.function = a.function
WHERE a.avg_ns IS NOT NULL;

-- Call trees: one row for each call path of a command name, build or host, added up over recordings. `parent` is a path,
-- NULL for the first function; an unknown group is NULL. Name the kind of groups: WHERE grouped_by = 'comm'
CREATE VIEW group_paths AS
SELECT
  g.grouped_by AS grouped_by,
  g.group_name AS group_name,
  g.path AS path,
  min(g.parent) AS parent,
  min(g.function) AS function,
  min(g.depth) AS depth,
  sum(g.calls) AS calls,
  sum(g.inferred_calls) AS inferred_calls,
  sum(g.unwound_calls) AS unwound_calls,
  sum(g.self_ns) AS self_ns,
  sum(g.inferred_ns) AS inferred_ns,
  sum(g.complete_ns) AS complete_ns,
  max(g.longest_cut_ns) AS longest_cut_ns,
  min(g.min_ns) AS min_ns,
  max(g.max_ns) AS max_ns
FROM (
  SELECT 'comm' AS grouped_by, c.comm AS group_name, c.* FROM paths AS c
  UNION ALL
  SELECT 'build' AS grouped_by, r.build AS group_name, b.* FROM paths AS b JOIN recordings AS r ON r.id = b.id
  UNION ALL
  SELECT 'host' AS grouped_by, r.host AS group_name, h.* FROM paths AS h JOIN recordings AS r ON r.id = h.id
) AS g
GROUP BY g.grouped_by, g.group_name, g.path;
