import { createTestAuthority, StandInRegistry } from '#test-support';

import {
  lateSchemaMs,
  patienceRestMs,
  registryAttemptsMax,
  registryRestMs,
  schemaBytesMax,
  schemaReferencesMax,
} from '../limits.js';
import { openFormat } from '../open-format.js';
import { type Documents, type SourceFormat, UnavailableError } from '../source-format.js';
import type { RegistrySettings } from './registry-settings.js';
import { SchemaRegistry } from './schema-registry.js';

const planted = 'Quibblethorn';
const guid = 'fd8f400d-78cb-4090-9bde-5e5fa26a890f';

/** A schema of one text, and a value of it. */
const textSchema = { schema: '{"type":"string"}' };
const valueOf = (id: number): Buffer => Buffer.from([0, 0, 0, 0, id, 2, 'x'.charCodeAt(0)]);
const read: Documents = { kind: 'documents', documents: ['x'] };

describe('a schema registry', () => {
  let registry: StandInRegistry;
  let settings: RegistrySettings;
  /** Waits last as long as they should, and nobody waits for them. */
  let clock: {
    nowMs: number;
    readonly slept: number[];
    readonly timers: (() => void)[];
    monotonic(): number;
    after(ms: number, task: () => void): () => void;
    sleep(ms: number): Promise<void>;
  };

  const add = (id: number, answer: object, subject = `s${id}`): void => {
    registry.schemas.push({ id, guid: id === 1 ? guid : `guid-${id}`, subject, version: 1, answer });
  };
  const open = (subject: string | null = null): SourceFormat =>
    openFormat('avro', new SchemaRegistry(() => settings, clock), { subject });
  const readBy = async (format: SourceFormat, id = 1): Promise<Documents> => format.read({ value: valueOf(id) });
  /** Why it is waited for. It holds nothing of a record, nor of what we are known by. */
  const waiting = async (format: SourceFormat, id = 1): Promise<string> => {
    const error: unknown = await readBy(format, id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnavailableError);
    const { message } = error as UnavailableError;
    expect(message).not.toContain(planted);
    return message;
  };

  beforeEach(async () => {
    registry = await StandInRegistry.start();
    settings = { url: registry.url, login: { kind: 'none' }, ca: null, cert: null, key: null, timeoutMs: 1_000 };
    const slept: number[] = [];
    const timers: (() => void)[] = [];
    clock = {
      nowMs: 0,
      slept,
      timers,
      monotonic: () => clock.nowMs,
      after: (_ms, task) => {
        timers.push(task);
        return () => undefined;
      },
      sleep: async (ms) => {
        slept.push(ms);
      },
    };
    add(1, textSchema);
  });

  afterEach(() => registry.stop());

  it('is asked once for a schema, however many records come at a time', async () => {
    const format = open();
    expect(await Promise.all([readBy(format), readBy(format), readBy(format)])).toEqual([read, read, read]);
    expect(format.read({ value: valueOf(1) })).toEqual(read);
    expect(registry.paths).toEqual(['/schemas/ids/1']);
  });

  it('is asked by GUID where a header holds one, and by subject where the source names one', async () => {
    const header = Buffer.concat([Buffer.of(1), Buffer.from(guid.replaceAll('-', ''), 'hex')]);
    const headers = { __value_schema_id: ['another', header] };
    expect(await open(':.eu:orders/v').read({ value: valueOf(1).subarray(5), headers })).toEqual(read);
    // As the quarantine keeps a header that happens to be text.
    const text = { __value_schema_id: '\u0000\u0000\u0000\u0000\u0001' };
    expect(await open().read({ value: valueOf(1).subarray(5), headers: text })).toEqual(read);
    expect(registry.paths).toEqual([`/schemas/guids/${guid}?subject=%3A.eu%3Aorders%2Fv`, '/schemas/ids/1']);
  });

  it.each([
    ['unavailable', 'http-503'],
    ['forbidden', 'http-403'],
    ['garbage', 'answer-unreadable'],
    ['endless', 'the answer is too long'],
    ['no-registry', 'http-404'],
    ['elsewhere', 'http-307'],
  ] as const)('that is %s is waited for and sets no record aside: %s', async (mood, why) => {
    const format = open();
    registry.mood = mood;
    // However long it lasts.
    for (let round = 0; round < 3; round += 1) {
      expect(await waiting(format)).toBe(`the schema registry cannot be used at present: ${why}`);
      clock.nowMs += 10 * lateSchemaMs;
    }
    expect(clock.slept.slice(0, registryAttemptsMax - 1)).toEqual([200, 400]);
    registry.mood = 'well';
    expect(await readBy(format)).toEqual(read);
  });

  it('that knows no GUIDs, in whichever way it says so, has none of that one; something else in its place is waited for', async () => {
    const headers = { __value_schema_id: Buffer.concat([Buffer.of(1), Buffer.from(guid.replaceAll('-', ''), 'hex')]) };
    const format = open();
    const readByGuid = async (): Promise<Documents> => format.read({ value: valueOf(1).subarray(5), headers });
    const why = async (): Promise<string> => readByGuid().then(String, String);
    registry.mood = 'no-registry';
    expect(await why()).toContain('http-404');
    clock.nowMs += registryRestMs;
    registry.mood = 'no-guids';
    expect(await why()).toContain('is not in the registry: it is waited for');
    clock.nowMs += lateSchemaMs;
    expect(await readByGuid()).toMatchObject({ kind: 'unreadable' });
  });

  it('that does not answer is waited for, by what one request may take', async () => {
    const format = open();
    registry.mood = 'silent';
    const failed = waiting(format);
    for (let attempt = 1; attempt <= registryAttemptsMax; attempt += 1) {
      await registry.untilAsked(attempt);
      clock.timers.at(-1)?.();
    }
    expect(await failed).toContain('timeout');
  });

  it('that is gone is waited for, and left alone for a moment', async () => {
    const format = open();
    await registry.stop();
    expect(await waiting(format)).toContain('ECONNREFUSED');
    const waits = clock.slept.length;
    expect(await waiting(format, 2)).toContain('ECONNREFUSED');
    expect(clock.slept.length).toBe(waits);
    clock.nowMs += registryRestMs;
    await waiting(format, 2);
    expect(clock.slept.length).toBe(waits + registryAttemptsMax - 1);
  });

  it('that does not know a schema may get it late; after a while the record is set aside, and each is asked for anew', async () => {
    const format = open();
    expect(await waiting(format, 7)).toBe('schema id 7 or what it refers to is not in the registry: it is waited for');
    clock.nowMs += lateSchemaMs - 1;
    await waiting(format, 7);
    clock.nowMs += 1;
    const detail = 'schema id 7 or what it refers to is not in the registry';
    expect(await readBy(format, 7)).toEqual({ kind: 'unreadable', detail });
    add(7, textSchema);
    expect(await readBy(format, 7)).toEqual(read);
  });

  it('is not waited for again at once: whoever may write makes up another number for each record', async () => {
    const format = open();
    await waiting(format, 7);
    await waiting(format, 8);
    clock.nowMs += lateSchemaMs;
    for (const id of [7, 8, 9, 10, 11]) expect(await readBy(format, id)).toMatchObject({ kind: 'unreadable' });
    clock.nowMs += patienceRestMs - 1;
    for (const id of [7, 12]) expect(await readBy(format, id)).toMatchObject({ kind: 'unreadable' });
    // The made-up ones keep nobody from being waited for later.
    clock.nowMs += 1;
    expect(await readBy(format, 7)).toMatchObject({ kind: 'unreadable' });
    await waiting(format, 13);
    add(13, textSchema);
    expect(await readBy(format, 13)).toEqual(read);
  });

  it('is asked once for one that can never be used: each record of it would cost as many requests as it has references', async () => {
    const many = Array.from({ length: schemaReferencesMax + 1 }, (_, index) => ({
      name: `m${index}`,
      subject: 'm',
      version: 1,
    }));
    add(100, textSchema, 'm');
    add(5, { ...textSchema, references: many });
    const format = open();
    const refused = await readBy(format, 5);
    const { length } = registry.paths;
    expect([await readBy(format, 5), registry.paths.length]).toEqual([refused, length]);
  });

  it('whose numbers are another one is not taken for the one before', async () => {
    const format = open();
    await readBy(format);
    const other = await StandInRegistry.start();
    other.schemas.push({ id: 1, guid, subject: 's', version: 1, answer: { schema: '"bytes"' } });
    settings = { ...settings, url: other.url };
    expect(await readBy(format)).toEqual({ kind: 'documents', documents: ['eA=='] });
    await other.stop();
  });

  it.each([
    ['is not AVRO', { schema: 'syntax = "proto3";', schemaType: 'PROTOBUF' }],
    ['cannot be compiled', { schema: `{"type":"${planted}"}` }],
    ['cannot be compiled', { schema: '{"type":"record","name":"a-b","fields":[]}' }],
    [`cannot be used: larger than ${schemaBytesMax} bytes`, { schema: ' '.repeat(schemaBytesMax + 1) }],
  ])('has one that %s: the record is set aside, and says which', async (detail, answer) => {
    add(9, answer);
    expect(await readBy(open(), 9)).toEqual({ kind: 'unreadable', detail: `schema id 9 ${detail}` });
  });

  it('resolves references, those that refer to each other as well, so many at most', async () => {
    const to = (subject: string) => [{ name: subject, subject, version: 1 }];
    const record = (name: string, field: string): string =>
      JSON.stringify({ type: 'record', name, fields: [{ name: 'f', type: field }] });
    add(2, { schema: record('B', 'string'), references: to('c') }, 'b');
    add(3, { schema: record('C', 'string'), references: to('b') }, 'c');
    add(4, { schema: record('A', 'B'), references: to('b') }, 'a');
    expect(await readBy(open(), 4)).toEqual({ kind: 'documents', documents: [{ f: { f: 'x' } }] });
    expect(registry.paths).toEqual(['/schemas/ids/4', '/subjects/b/versions/1', '/subjects/c/versions/1']);
    const many = Array.from({ length: schemaReferencesMax + 1 }, (_, index) => to(`m${index}`)).flat();
    for (const { subject } of many) add(100, { schema: '"string"' }, subject);
    add(5, { ...textSchema, references: many });
    const detail = `schema id 5 cannot be used: more than ${schemaReferencesMax} references`;
    expect(await readBy(open(), 5)).toEqual({ kind: 'unreadable', detail });
  });

  it('knows us by name and password, as they are now', async () => {
    settings = { ...settings, login: { kind: 'basic', username: 'u', password: planted } };
    registry.authorization = `Basic ${Buffer.from('u:new').toString('base64')}`;
    const format = open();
    expect(await waiting(format)).toContain('http-401');
    settings = { ...settings, login: { kind: 'basic', username: 'u', password: 'new' } };
    clock.nowMs += registryRestMs;
    expect(await readBy(format)).toEqual(read);
  });

  it('knows us by a token of our own, which is asked for once, before it ends, and after it was refused', async () => {
    const login = { tokenUrl: `${registry.url}/token`, clientId: 'a b', clientSecret: planted, scope: 'read' };
    const cloud = { logicalCluster: 'lsrc-1', identityPoolId: 'pool-1' };
    settings = { ...settings, login: { kind: 'oauth', ...login, ...cloud } };
    const format = open();
    expect(await waiting(format)).toContain('no token: http-401');
    registry.token = { access_token: 'first', expires_in: 100 };
    registry.authorization = 'Bearer first';
    clock.nowMs += registryRestMs;
    registry.asked.length = 0;
    expect(await readBy(format)).toEqual(read);
    add(2, textSchema);
    expect(await readBy(format, 2)).toEqual(read);
    expect(registry.paths).toEqual(['/token', '/schemas/ids/1', '/schemas/ids/2']);
    const [asked, schema] = registry.asked;
    expect(asked).toMatchObject({
      body: 'grant_type=client_credentials&scope=read',
      headers: { authorization: `Basic ${Buffer.from(`a+b:${planted}`).toString('base64')}` },
    });
    expect(schema?.headers).toMatchObject({ 'target-sr-cluster': 'lsrc-1', 'confluent-identity-pool-id': 'pool-1' });
    registry.token = { access_token: 'second' };
    registry.authorization = 'Bearer second';
    add(3, textSchema);
    expect(await readBy(format, 3)).toEqual(read);
  });

  it('gives a token once to all who wait, anew to a new secret, and is not asked again at once where it has none', async () => {
    const cloud = { logicalCluster: null, identityPoolId: null };
    const login = { kind: 'oauth', tokenUrl: `${registry.url}/token`, clientId: 'a', scope: null, ...cloud } as const;
    const tokensAsked = (): number => registry.paths.filter((path) => path === '/token').length;
    settings = { ...settings, login: { ...login, clientSecret: planted } };
    add(2, textSchema);
    const format = open();
    await Promise.all([waiting(format), waiting(format, 2)]);
    expect(tokensAsked()).toBe(1);
    registry.token = { access_token: 'first', expires_in: 100 };
    clock.nowMs += registryRestMs;
    expect(await Promise.all([readBy(format), readBy(format, 2)])).toEqual([read, read]);
    expect(tokensAsked()).toBe(2);
    settings = { ...settings, login: { ...login, clientSecret: 'renewed' } };
    add(3, textSchema);
    expect(await readBy(format, 3)).toEqual(read);
    expect(tokensAsked()).toBe(3);
  });

  it('is known by its own authority, and knows us by a certificate', async () => {
    const authority = createTestAuthority();
    const server = authority.issue({ hosts: ['127.0.0.1'] });
    const own = authority.issue({ hosts: ['loyaltyd'] });
    const secured = await StandInRegistry.start({ ...server, clientCa: authority.certificate });
    secured.schemas.push(...registry.schemas);
    settings = { ...settings, url: secured.url };
    const format = open();
    expect(await waiting(format)).toMatch(/CERT|SIGNATURE/);
    settings = { ...settings, ca: authority.certificate };
    clock.nowMs += registryRestMs;
    await waiting(format);
    secured.token = { access_token: 'of-a-certificate' };
    const cloud = { logicalCluster: null, identityPoolId: null };
    const client = { tokenUrl: `${secured.url}/token`, clientId: 'a', clientSecret: planted, scope: null };
    settings = { ...settings, ...own, login: { kind: 'oauth', ...client, ...cloud } };
    clock.nowMs += registryRestMs;
    expect(await readBy(format)).toEqual(read);
    await secured.stop();
  });
});
