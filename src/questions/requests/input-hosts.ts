/**
 * Groups inputs by the host that recorded them: those of one host are one trace, on one clock.
 */
import { PtflameError } from '../../model/errors.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';

export interface InputHost {
  /** null: the only one, or not known. */
  readonly name: string | null;
  readonly inputs: readonly AnalyzedInput[];
}

/**
 * `names`: by input; null or missing: as recorded.
 *
 * @throws PtflameError BAD_OPTION if some hosts are not known, and the others are several, or named
 */
export function inputHosts(inputs: readonly AnalyzedInput[], names: readonly (string | null)[]): InputHost[] {
  const hosts = inputs.map((input, row) => names[row] ?? recordedHost(input));
  const known = [...new Set(hosts.filter((name) => name !== null))];
  const unknown = hosts.indexOf(null);
  const isNamed = names.some((name) => name !== null);
  if (known.length < 2 && !(isNamed && unknown >= 0)) return [oneHost(known[0] ?? null, inputs)];
  if (unknown >= 0) throw unknownHost(inputs[unknown].name);
  return known.map((name) =>
    oneHost(
      name,
      inputs.filter((_, row) => hosts[row] === name),
    ),
  );
}

/** One machine may have several names, such as those of its containers: the user says that they are one host. */
function oneHost(name: string | null, inputs: readonly AnalyzedInput[]): InputHost {
  return { name, inputs: name === null ? inputs : inputs.map((input) => recordedOn(name, input)) };
}

function recordedOn(host: string, input: AnalyzedInput): AnalyzedInput {
  if (!('recorded' in input) || input.recorded === null) return input;
  return { ...input, recorded: { ...input.recorded, host } };
}

/** Text and imported traces do not say it. */
function recordedHost(input: AnalyzedInput): string | null {
  return 'recorded' in input ? (input.recorded?.host ?? null) : null;
}

function unknownHost(name: string): PtflameError {
  return new PtflameError('BAD_OPTION', `the host that recorded ${name} is not known, but that of other inputs is`, {
    hint: `name it: --host '${name}=HOST'`,
  });
}
