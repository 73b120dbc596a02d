/**
 * Defines the commands that record: doctor and record.
 */
import { DoctorOptions } from '../options/doctor.js';
import { RecordOptions } from '../options/record.js';
import { FORMATS, outputFormats } from '../output/formats.js';
import { defineCommand } from '../usage/define-command.js';
import { RENDER } from './draw.js';
import { RECORDING } from './tasks.js';

export const DOCTOR = defineCommand({
  name: 'doctor',
  task: RECORDING,
  summary: 'check whether this machine can record, and what to fix',
  examples: [
    ['ptflame doctor', 'one line for each requirement'],
    ['ptflame doctor --json', 'the same, for programs'],
  ],
  schema: DoctorOptions,
  run: async (options) => (await import('../commands/doctor.js')).doctor(options),
});

export const RECORD = defineCommand({
  name: 'record',
  task: RECORDING,
  summary: 'record a process, threads, CPUs or a command with Intel PT',
  details: 'Ctrl-C stops the recording and keeps it; a second Ctrl-C discards it.',
  examples: [
    ['ptflame record -p 1234 -t 500ms', 'half a second of a process'],
    ['ptflame record --render flame.html -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['ptflame record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['ptflame record -p 1234 --only parse --binary ./server', 'only the code of one function'],
    ['ptflame record -p 1234 --snapshot --trigger signal', 'the time before each kill -USR2'],
    ['ptflame record -p 1234 --waits', 'also who waits for whom'],
    ['ptflame record -p 1234 --waits --no-trace -t 10s', 'the same alone, without Intel PT: on any CPU'],
    ['ptflame record -p 1234 --dry-run', 'print the commands without running them'],
  ],
  schema: RecordOptions,
  runsCommand: true,
  run: async (options, signal, recordedCommand) => {
    outputFormats({ output: options.render }, FORMATS); // refuses unknown formats before anything is recorded
    const recording = await (await import('../commands/record.js')).record(options, recordedCommand);
    const { render: output, perf, quiet } = options;
    if (recording !== null && output) await RENDER.run({ inputs: [recording], output, perf, quiet }, signal, null);
  },
});
