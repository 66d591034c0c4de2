import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

import type { ProgramsFile } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { SourceEventName } from '#events';
import { SOURCE_EVENT_SAMPLES } from '#events';

import { binaryRecordOf, collected, eventOf, piecesOf, sampleNow } from '../testing/fixtures.js';
import { lintFile } from './lint-records.js';

const page = readFileSync(new URL('../../../../../docs/producers.md', import.meta.url), 'utf8');
const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
const example = parsed.ok ? parsed.value : null;

/** What is not in order about samples: what is refused, ignored or warned about. */
const complaints = async (samples: readonly unknown[], programs: ProgramsFile | null): Promise<string[]> => {
  const stdin = piecesOf(Buffer.from(samples.map((sample) => JSON.stringify(sample)).join('\n')));
  const context = { programs, stdin, clock: () => sampleNow };
  const reports = await collected(lintFile('-', context));
  expect(reports).toHaveLength(samples.length);
  return reports.flatMap((report) => {
    if ('problem' in report) return [report.problem];
    const details = report.warnings.map(({ detail }) => detail);
    return report.verdict === 'accepted' ? details : [`${report.reason ?? ''} ${report.detail ?? ''}`, ...details];
  });
};

const blocksOf = (info: string): string[] =>
  [...page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].flatMap(([, found, code]) => (found === info ? [code ?? ''] : []));

/** The example under the heading of an event type: its data. */
const exampleData = (name: string): object => {
  const [, text = ''] = page.split(`### \`${name}\`\n`);
  return JSON.parse(/```json\n(.*?)```/s.exec(text)?.[1] ?? 'null') as object;
};

interface Sent {
  readonly messages: readonly object[];
}

/** What the page's program sends, run against a broker that only listens. */
const sentByExample = async (): Promise<object[]> => {
  const sent: object[] = [];
  const producer = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    send: ({ messages }: Sent) => Promise.resolve(sent.push(...messages)),
  };
  const kafkajs = {
    Kafka: class {
      producer = () => producer;
    },
    logLevel: {},
    Partitioners: {},
  };
  const [, program = ''] = /<<'EOF'\nimport kafkajs from 'kafkajs';\n(.*?)\nEOF\n/s.exec(page) ?? [];
  const now = class extends Date {
    constructor() {
      super(sampleNow);
    }
  };
  await (runInNewContext(`(async () => {${program}\n})()`, {
    kafkajs,
    process: { env: {} },
    Date: now,
  }) as Promise<void>);
  return sent;
};

describe.each([
  ['the schema', null],
  ['the example of a programs file', example],
])('lint has nothing to say, by %s, of', (_by, programs) => {
  const names = Object.keys(SOURCE_EVENT_SAMPLES) as SourceEventName[];

  it('the samples of all event types, in both modes', async () => {
    expect(
      await complaints(
        names.map((name) => eventOf(name)),
        programs,
      ),
    ).toEqual([]);
    expect(
      await complaints(
        names.map((name) => binaryRecordOf(name)),
        programs,
      ),
    ).toEqual([]);
  });

  it('the examples of docs/producers.md', async () => {
    const framed = names.map((name) => eventOf(name, { data: exampleData(name) }));
    expect(await complaints(framed, programs)).toEqual([]);
    const whole = [...blocksOf('json structured'), ...blocksOf('json record')];
    expect(whole.length).toBeGreaterThan(1);
    for (const block of whole) expect(await complaints([JSON.parse(block)], programs)).toEqual([]);
  });

  it('what the program of docs/producers.md sends', async () => {
    const sent = await sentByExample();
    expect(sent).toHaveLength(2);
    expect(await complaints(sent, programs)).toEqual([]);
  });
});
