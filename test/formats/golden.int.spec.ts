import { readdirSync, readFileSync } from 'node:fs';

import { type FormatName, openFormat, type RegistrySettings, SchemaRegistry } from '#events/formats';
import { SystemClock } from '#platform';
import { StandInRegistry, type StandInSchema } from '#test-support';

interface GoldenRecord {
  readonly name: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: unknown;
  /** Why nothing comes of it. */
  readonly ignored?: string;
}

interface Golden {
  readonly format: FormatName;
  readonly schemas: readonly StandInSchema[];
  readonly records: readonly GoldenRecord[];
}

const folder = `${process.cwd()}/test/formats/golden`;
const files = readdirSync(folder).map((file) => ({
  file,
  golden: JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Golden,
}));
const cases = files.flatMap(({ file, golden }) => golden.records.map((record) => ({ file, golden, record })));

const bytes = (text: string): Buffer => Buffer.from(text, 'base64');

describe("what Confluent's Python serializers write", () => {
  let registry: StandInRegistry;

  beforeEach(async () => {
    registry = await StandInRegistry.start();
  });

  afterEach(() => registry.stop());

  it.each(cases)('is read to the last digit: $file, $record.name', async ({ golden, record }) => {
    registry.schemas.push(...golden.schemas);
    const settings: RegistrySettings = {
      url: registry.url,
      login: { kind: 'none' },
      ca: null,
      cert: null,
      key: null,
      timeoutMs: 10_000,
    };
    const format = openFormat(golden.format, new SchemaRegistry(() => settings, new SystemClock()));
    const headers = Object.fromEntries(Object.entries(record.headers).map(([name, text]) => [name, bytes(text)]));
    const read = await format.read({ value: bytes(record.value), headers });
    const expected =
      record.ignored === undefined
        ? { kind: 'documents', documents: [record.document] }
        : { kind: 'ignored', reason: record.ignored };
    expect(read).toEqual(expected);
    const asked = registry.asked.length;
    // What is compiled is not asked for again, and read at once.
    expect(format.read({ value: bytes(record.value), headers })).toEqual(expected);
    expect(registry.asked.length).toBe(asked);
  });
});
