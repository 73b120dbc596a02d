/**
 * Profiles and requests as files for other tools, loaded only to write one.
 */
export { renderCallgrind } from './export/callgrind/callgrind.js';
export { renderFirefox } from './export/firefox/firefox.js';
export { otlpOfRequests } from './export/otlp/requests.js';
export { callsSchema } from './export/parquet/call-groups.js';
export { partitionName } from './export/parquet/layout.js';
export { ParquetFile } from './export/parquet/parquet-file.js';
export { fileAbout, recordingTables, TABLES, type TableName } from './export/parquet/recording-tables.js';
export { renderPerfetto } from './export/perfetto/perfetto.js';
export { perfettoOfRequests } from './export/perfetto/requests/requests.js';
export { pprofBytes, renderPprof } from './export/pprof/pprof.js';
export { renderSpeedscope } from './export/speedscope/speedscope.js';
export { whyNotWhole } from './fleet/whole-file.js';
