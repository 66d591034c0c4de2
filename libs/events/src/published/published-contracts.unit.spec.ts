import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventTypeOf, SOURCE_EVENT_SAMPLES, type SourceEventName } from '../source-events.js';
import { outcomeEventSchemas, publishedContracts, sourceEventSchemas, type JsonSchema } from './published-contracts.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const frame = {
  specversion: '1.0',
  id: 'e-1',
  source: '/pos/1',
  time: '2026-11-21T10:15:04+01:00',
  datacontenttype: 'application/json',
};

function problemsOf(schema: JsonSchema | undefined, event: unknown): unknown[] {
  if (schema === undefined) throw new Error('no such schema');
  const validate = ajv.compile(schema);
  return validate(event)
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe.each(Object.entries(SOURCE_EVENT_SAMPLES))('the published schema of %s', (name, data) => {
  const schema = sourceEventSchemas()[name];

  it('accepts our own example, with a reverse-DNS prefix as well', () => {
    expect(problemsOf(schema, { ...frame, type: name, data })).toEqual([]);
    expect(problemsOf(schema, { ...frame, type: `com.acme.${name}`, data })).toEqual([]);
  });

  it('refuses what we would set aside', () => {
    const { memberId: _memberId, ...anonymous } = data as { memberId: string };
    const other = { ...frame, type: 'loyalty.other.thing.v1', data };
    expect(problemsOf(schema, { ...frame, type: name, data: { ...data, program: 7 } })).toContain('/data/program type');
    expect(problemsOf(schema, other)).toContain('/type pattern');
    expect(problemsOf(schema, { ...frame, time: 'yesterday', type: name, data })).toContain('/time format');
    expect(problemsOf(schema, { type: name, data: anonymous })).toContain(' required');
  });

  it('lets unknown fields pass, as the daemon does', () => {
    expect(problemsOf(schema, { ...frame, type: name, extra: 1, data: { ...data, extra: { deep: 1 } } })).toEqual([]);
  });
});

it('the published schema of an outcome is of what we emit', () => {
  const data = { program: 'p', memberId: 'm', passId: 7, serialNumber: null, downloadUrl: null };
  const links = { downloadUrlApple: null, downloadUrlGoogle: null, statusCode: null };
  const event = { ...frame, type: 'loyalty.pass.issued.v1', subject: 'm', sequence: '3', data: { ...data, ...links } };
  expect(problemsOf(outcomeEventSchemas()['loyalty.pass.issued.v1'], event)).toEqual([]);
  expect(problemsOf(outcomeEventSchemas()['loyalty.pass.issued.v1'], { ...event, data })).toContain('/data required');
});

/** The specification's own schema of documents; it is of draft 7, and says what it means by `$id`s of its own. */
function officialProblems(document: JsonSchema): unknown[] {
  const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json');
  const official = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats.default(official);
  const validate = official.compile(JSON.parse(readFileSync(path, 'utf8')) as JsonSchema);
  return validate(document) ? [] : (validate.errors ?? []);
}

describe('the AsyncAPI document', () => {
  const { asyncapi: document } = publishedContracts({
    members: 'm',
    purchases: 'p',
    rewards: 'r',
    outcomes: 'o',
    audit: 'a',
    deadLetter: 'd',
  });

  function refsIn(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, each]) => (key === '$ref' ? [String(each)] : refsIn(each)));
  }

  it('names the topics of the installation, and which of them we read', () => {
    const { channels, operations } = document as {
      channels: Record<string, { address: string; messages: object }>;
      operations: Record<string, { action: string }>;
    };
    const seen = Object.entries(channels).map(([name, { address, messages }]) => [
      address,
      operations[name]?.action,
      Object.keys(messages).length,
    ]);
    const subjects = (Object.keys(SOURCE_EVENT_SAMPLES) as SourceEventName[]).map((name) => eventTypeOf(name).subject);
    const typesOf = (subject: string): number => subjects.filter((each) => each === subject).length;
    expect(seen).toEqual([
      ['m', 'receive', typesOf('members')],
      ['p', 'receive', typesOf('purchases')],
      ['r', 'receive', typesOf('rewards')],
      ['o', 'send', 3],
      ['a', 'send', 1],
      ['d', 'send', 1],
    ]);
  });

  it('leaves out a topic that is turned off', () => {
    const topics = { members: 'm', purchases: 'p', rewards: 'r', outcomes: null, audit: null, deadLetter: null };
    const { channels, operations } = publishedContracts(topics).asyncapi as { channels: object; operations: object };
    expect(Object.keys(channels)).toEqual(['members', 'purchases', 'rewards']);
    expect(Object.keys(operations)).toEqual(Object.keys(channels));
  });

  it('is one by the specification of AsyncAPI 3', () => {
    expect(officialProblems(document)).toEqual([]);
    expect(officialProblems({ ...document, channels: { m: { address: 7 } } })).not.toEqual([]);
  });

  it('refers to nothing that is not there', () => {
    const refs = refsIn({ channels: document['channels'], operations: document['operations'] });
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) {
      const found = ref
        .slice('#/'.length)
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect(found).toBeDefined();
    }
  });
});
