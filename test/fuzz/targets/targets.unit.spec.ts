import { keptInputs } from '../corpus.js';
import { crashText, runTarget, type TargetReport } from '../run-target.js';
import { targets } from './index.js';

async function shortRun(name: string, inputsMax: number): Promise<TargetReport> {
  const target = await targets[name]!();
  try {
    return await runTarget(target, { seed: 1, inputsMax, msMax: Infinity, corpus: keptInputs(name) });
  } finally {
    await target.close?.();
  }
}

/** What must come of some inputs: without it a target would be right about nothing. */
const seen: readonly (readonly [string, number, readonly RegExp[]])[] = [
  [
    'source-record',
    2_000,
    [/^event routed loyalty\.purchase\.completed/, /^tombstone ignored/, /^quarantine quarantine invalid/],
  ],
  [
    'source-map',
    600,
    [/^events one/, /^events none/, /^events several/, /^refused .*\$/, /^record refused \$minor takes/],
  ],
  [
    'source-format',
    2_000,
    [
      /^avro documents/,
      /^protobuf documents/,
      /^debezium-json documents/,
      /^avro unreadable value: ends too early/,
      /^outbox-json documents/,
    ],
  ],
  ['schema-text', 300, [/^avro documents/, /^protobuf documents/, /^avro unreadable schema id # cannot be compiled/]],
  ['programs-file', 100, [/^taken/, /^refused programs\./, /^refused not readable as YAML/]],
  ['dialect-file', 60, [/^taken/, /^refused .*: /, /^refused not readable as YAML/]],
  [
    'partner-answer',
    500,
    [/^issue applied/, /^transaction applied/, /^schedule applied/, /^transaction rejected duplicate/, /^find found/],
  ],
  [
    'access-token',
    300,
    [/^plain admitted/, /^strict admitted/, /^plain refused The token is not valid/, /problem no-role/],
  ],
  ['provider-document', 60, [/^discovery admitted refused/, /^keys problem identity-provider-unavailable/]],
  ['service-answer', 150, [/^unwrap unwrapped a key/, /^wrap wrapped/, /^schema schema alone/, /^token token #/]],
  ['command-file', 150, [/^samples accepted/, /^source-lines records/, /^body body/, /^programs loaded/, /^sources /]],
  ['outside-text', 200, [/^json read; read; yaml read/, /nested deeper/, /invalid UTF-8|not JSON/]],
  ['kafka-batch', 300, [/ few $/, / many /, /unreadable record batch/, /oversized/]],
];

describe('some inputs', () => {
  it.each(seen)('%s: nothing is found, and everything is met', async (name, inputsMax, kinds) => {
    const report = await shortRun(name, inputsMax);
    expect(report.crashes.map(crashText)).toEqual([]);
    expect(report.inputs).toBe(inputsMax);
    const all = [...report.kinds];
    for (const kind of kinds) expect(all).toContainEqual(expect.stringMatching(kind));
  });
});
