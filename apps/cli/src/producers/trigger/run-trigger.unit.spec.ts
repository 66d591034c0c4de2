import type { TriggerOptions } from '../options.js';
import { FakeTarget } from '../testing/fixtures.js';
import { runTrigger } from './run-trigger.js';

const defaults: TriggerOptions = {
  type: 'purchase.completed',
  brokers: '127.0.0.1:9092',
  program: null,
  member: null,
  settings: [],
  count: 1,
  eventsPerSecond: 100,
  mode: 'structured',
  topic: null,
  dryRun: false,
  invalid: false,
  yes: false,
};

interface Ran {
  readonly code: number;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

const run = async (options: Partial<TriggerOptions>, env: NodeJS.ProcessEnv = {}): Promise<Ran> => {
  const [stdout, stderr] = [new FakeTarget(), new FakeTarget()];
  const code = await runTrigger({ ...defaults, ...options }, { env, stdout, stderr });
  const lines = stdout.text.split('\n').slice(0, -1);
  return { code, records: lines.map((line) => JSON.parse(line) as Ran['records'][number]), stderr: stderr.text };
};

describe('a dry run', () => {
  const dryRun = true;

  it('prints the records, and needs no brokers', async () => {
    const { code, records, stderr } = await run({ dryRun, brokers: null, count: 3, member: 'm-{n}' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(records.map(({ topic, key }) => ({ topic, key }))).toEqual(
      ['m-1', 'm-2', 'm-3'].map((key) => ({ topic: 'loyalty.purchases', key })),
    );
    const ids = records.map(({ value }) => (value as { readonly id: string }).id);
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['member.enrolled', 'mine'],
    ['purchase.voided', 'loyalty.purchases'],
    ['reward.granted', 'loyalty.rewards'],
  ])('sends %s to the topic of the daemon’s environment', async (type, topic) => {
    const { records } = await run({ dryRun, type }, { KAFKA_TOPIC_MEMBERS: 'mine', DATABASE_URL: 'nonsense' });
    expect(records).toMatchObject([{ topic }]);
    expect((await run({ dryRun, type, topic: 'other' })).records).toMatchObject([{ topic: 'other' }]);
  });

  it('shows what is refused only when that is asked for', async () => {
    const settings = ['total.minor=-1'];
    expect(await run({ dryRun, settings })).toMatchObject({
      code: 2,
      records: [],
      stderr: expect.stringMatching(/refuse event 1, invalid: data\.total\.minor: Too small/) as string,
    });
    expect(await run({ dryRun, settings, invalid: true })).toMatchObject({ code: 0, records: [{ key: 'm_81273' }] });
  });
});

describe('wrong usage', () => {
  it.each<[string, Partial<TriggerOptions>, RegExp, NodeJS.ProcessEnv?]>([
    [
      'an unknown type',
      { type: 'purchase' },
      /^loyaltyd trigger: purchase: no such event type; there are member\.enrolled/,
    ],
    ['no brokers', { brokers: null }, /--brokers: required, or set KAFKA_BROKERS/],
    ['brokers that are none', { brokers: 'localhost' }, /--brokers: must be a comma list of host:port/],
    ['a broken setting', { settings: ['x'] }, /--set x: must be path=value/],
    ['a setting without its place', { settings: ['id.x=1'] }, /--set id\.x: id is not an object/],
    ['one event of many that would be refused', { settings: ['total.minor=1{n}.5'], count: 2 }, /refuse event 1/],
    [
      'brokers elsewhere',
      { brokers: '127.0.0.1:1,kafka.example.org:9092' },
      /kafka\.example\.org:9092 is not this machine/,
      { KAFKA_SSL: 'true' },
    ],
    [
      'brokers elsewhere without TLS',
      { brokers: 'kafka.example.org:9092', yes: true },
      /--brokers: a host is not this machine, and KAFKA_SSL must then be true/,
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
    ],
    [
      'TLS that takes any certificate',
      { brokers: 'kafka.example.org:9092', yes: true },
      /NODE_TLS_REJECT_UNAUTHORIZED: with 0/,
      { KAFKA_SSL: 'true', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    ],
  ])('is %s', async (_what, options, problem, env = {}) => {
    expect(await run(options, env)).toMatchObject({
      code: 2,
      records: [],
      stderr: expect.stringMatching(problem) as string,
    });
  });

  it('is told in the words that were used', async () => {
    expect((await run({ brokers: null }, { KAFKA_BROKERS: 'x' })).stderr).toMatch(/KAFKA_BROKERS: must be/);
    expect((await run({}, { KAFKA_SASL_USERNAME: 'x' })).stderr).toMatch(
      /KAFKA_SASL_USERNAME: needs KAFKA_SASL_MECHANISM/,
    );
  });
});
