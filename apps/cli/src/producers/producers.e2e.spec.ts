import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Consumer } from 'kafkajs';

import { PROGRAMS_FILE_EXAMPLE } from '#contracts';
import { decodeSourceRecord } from '#events';
import { freeLoopbackPorts, waitUntil } from '#embedded';
import { createTopics, deleteTopics, kafkaClient, testBroker, testTopics } from '#test-support';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const arrivalTimeoutMs = 20_000;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `loyaltyd` as it is installed, with nothing else in its environment. */
const loyaltyd = (
  words: readonly string[],
  more: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'apps/cli/bin/loyaltyd.js'), ...words], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...more.env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => (stdout += String(text)));
    child.stderr.on('data', (text) => (stderr += String(text)));
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code, stdout, stderr: stderr.replace('loyaltyd: compiling (once)\n', '') }),
    );
    child.stdin.end(more.stdin ?? '');
  });

const linesOf = (text: string): Readonly<Record<string, unknown>>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

/** As long as 127.0.0.1, and not known for this machine though it leads to it. */
const elsewhere = '000.0.0.0';

/** A broker's address as its metadata carry it. */
const addressBytes = (host: string, port: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(port);
  return `${host}${bytes.toString('latin1')}`;
};

/** A port of this machine that leads to a broker which calls itself by another name. */
const openTunnel = async (brokers: string): Promise<{ brokers: string; close: () => Promise<void> }> => {
  const [host = '', port] = brokers.split(':');
  expect(host).toBe('127.0.0.1');
  const sockets: Socket[] = [];
  const portOf = (): number => (server.address() as AddressInfo).port;
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    sockets.push(near, far);
    near.pipe(far);
    far.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      near.write(text.replaceAll(addressBytes(host, Number(port)), addressBytes(elsewhere, portOf())), 'latin1');
    });
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { brokers: `${host}:${portOf()}`, close };
};

describe('loyaltyd trigger and lint', () => {
  const topics = testTopics();
  const broker = testBroker();
  let brokers: string;

  beforeAll(async () => {
    await createTopics(await broker, topics.all);
    brokers = (await broker).brokers;
  });

  afterAll(async () => deleteTopics(await broker, topics.all));

  interface Received {
    readonly partition: number;
    readonly offset: number;
    readonly key: string | undefined;
    readonly reason: string;
    readonly event: unknown;
  }

  /** Everything in a topic, once there is as much as expected. */
  const receive = async (topic: string, count: number): Promise<Received[]> => {
    const received: Received[] = [];
    const consumer: Consumer = kafkaClient(await broker).consumer({ groupId: `${topic}.spec`, maxWaitTimeInMs: 100 });
    await consumer.connect();
    try {
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ partition, message: { offset, key, value, headers } }) => {
          const decoded = decodeSourceRecord({ value, headers, now: Date.now() });
          const [reason, event] = decoded.kind === 'event' ? ['', decoded.event] : [JSON.stringify(decoded), null];
          received.push({ partition, offset: Number(offset), key: key?.toString(), reason, event });
        },
      });
      await waitUntil(() => received.length >= count, {
        what: `${count} records in ${topic}`,
        timeoutMs: arrivalTimeoutMs,
      });
      return received;
    } finally {
      await consumer.disconnect();
    }
  };

  it('send events that lie where they say, keyed by their member, as a daemon takes them', async () => {
    const words = ['trigger', 'purchase.completed', '--brokers', brokers, '--count', '4', '--rate', '500/s'];
    const settings = ['--member', 'm-{n}', '--set', 'total.minor={n}', '--set', 'foo.bar=kept', '--mode', 'binary'];
    const { code, stdout, stderr } = await loyaltyd([...words, ...settings], { env: { ...topics.environment } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = linesOf(stdout);
    expect(told).toHaveLength(4);
    const received = await receive(topics.purchases, 4);
    for (const [index, line] of told.entries()) {
      const { topic, partition, offset, key, id, source, type, time } = line;
      expect({ topic, key, source }).toEqual({
        topic: topics.purchases,
        key: `m-${index + 1}`,
        source: '/loyaltyd/trigger',
      });
      const found = received.find((record) => record.partition === partition && record.offset === offset);
      expect(found).toMatchObject({
        key,
        reason: '',
        event: { id, source, type, time, data: { memberId: key, total: { minor: index + 1 }, foo: { bar: 'kept' } } },
      });
    }
  });

  it('send what would be refused when asked to, and say so', async () => {
    const words = [
      'trigger',
      'reward.granted',
      '--brokers',
      brokers,
      '--set',
      'reward=null',
      '--topic',
      topics.rewards,
    ];
    expect(await loyaltyd(words)).toMatchObject({ code: 2, stdout: '' });
    const { code, stdout } = await loyaltyd([...words, '--invalid']);
    expect(code).toBe(0);
    expect(linesOf(stdout)).toMatchObject([{ refusal: expect.stringMatching(/^invalid: data\.reward: /) as string }]);
    const [record] = await receive(topics.rewards, 1);
    expect(record?.reason).toMatch(/"kind":"quarantine","reason":"invalid"/);
  });

  it('send nothing to a topic that is not there, and make none', async () => {
    const missing = `${topics.members}.missing`;
    const words = ['trigger', 'member.enrolled', '--brokers', brokers, '--topic', missing];
    expect(await loyaltyd(words)).toEqual({
      code: 1,
      stdout: '',
      stderr: `loyaltyd trigger: ${missing}: the brokers have no such topic\n`,
    });
    const admin = kafkaClient(await broker).admin();
    await admin.connect();
    try {
      expect(await admin.listTopics()).not.toContain(missing);
    } finally {
      await admin.disconnect();
    }
  });

  it('send nothing through a tunnel without being told to', async () => {
    const tunnel = await openTunnel(brokers);
    try {
      const words = ['trigger', 'member.merged', '--brokers', tunnel.brokers, '--topic', topics.members];
      const { code, stdout, stderr } = await loyaltyd(words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^loyaltyd trigger: the brokers call themselves 000\.0\.0\.0:\d+, which is not this machine/,
      );
    } finally {
      await tunnel.close();
    }
  });

  it('say that there is no broker', async () => {
    const [port] = await freeLoopbackPorts(1);
    const { code, stdout, stderr } = await loyaltyd(['trigger', 'member.merged', '--brokers', `127.0.0.1:${port}`]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^loyaltyd trigger: .*ECONNREFUSED.*\n$/);
  });

  it('agree with each other: what a dry run prints is read by lint', async () => {
    const types = ['member.enrolled', 'member.updated', 'purchase.completed', 'reward.granted'];
    const runs = await Promise.all(
      types.map((type) => loyaltyd(['trigger', type, '--dry-run', '--count', '2', '--member', 'm-{n}'])),
    );
    const stdin = runs.map(({ stdout }) => stdout).join('');
    const { code, stdout, stderr } = await loyaltyd(['lint', '-', '--strict', '-o', 'jsonl'], { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(stdout).map(({ verdict }) => verdict)).toEqual(Array(8).fill('accepted'));
  });

  it('judge the newest records of a topic, where they lie', async () => {
    const { members } = topics;
    const producer = kafkaClient(await broker).producer();
    await producer.connect();
    const filler = Array.from({ length: 40 }, () => ({ partition: 0, value: '{"specversion":"1.0"}' }));
    await producer.send({ topic: members, messages: filler });
    await producer.disconnect();
    const send = ['trigger', 'member.enrolled', '--brokers', brokers, '--topic', members, '--count', '20'];
    const places = linesOf((await loyaltyd([...send, '--member', 'm-{n}'])).stdout);
    const words = ['lint', '--topic', members, '--brokers', brokers, '-o', 'jsonl'];
    const all = await loyaltyd(words);
    expect({ code: all.code, stderr: all.stderr }).toEqual({ code: 4, stderr: '' });
    const accepted = linesOf(all.stdout).filter(({ verdict }) => verdict === 'accepted');
    const placeOf = ({ partition, offset }: Readonly<Record<string, unknown>>): string =>
      `${members}/${String(partition)}:${String(offset)}`;
    expect(accepted.map(({ file, line }) => `${String(file)}:${String(line)}`).sort()).toEqual(
      places.map(placeOf).sort(),
    );
    expect(linesOf(all.stdout)).toHaveLength(60);
    const newest = linesOf((await loyaltyd([...words, '--last', '1'])).stdout);
    expect(newest.map(({ file }) => file)).toEqual([...new Set(newest.map(({ file }) => file))]);
  });

  it('read no topic that is not there, and make none', async () => {
    const missing = `${topics.members}.missing`;
    expect(await loyaltyd(['lint', '--topic', missing, '--brokers', brokers])).toMatchObject({
      code: 1,
      stderr: `loyaltyd lint: ${missing}: the brokers have no such topic\n`,
    });
  });

  it('find what is wrong with a file, line by line', async () => {
    const stdin = '{"specversion":"1.0"}\nno JSON\n';
    const { code, stdout } = await loyaltyd(['lint', '-'], { stdin });
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^-:1 {2}refused {3}unreadable +id: required, text\n-:2 {2}refused {3}unreadable +value: not JSON\n/,
    );
    expect(await loyaltyd(['lint', '-'])).toMatchObject({ code: 3, stderr: 'loyaltyd lint: -: holds no samples\n' });
    expect(await loyaltyd(['lint', '/no/such/file'])).toMatchObject({ code: 1 });
  });

  it('route as a daemon would that has this programs file and this dialect', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-lint-'));
    try {
      const [programs, dialect] = [join(folder, 'programs.yaml'), join(folder, 'dialect.yaml')];
      const scheduled = PROGRAMS_FILE_EXAMPLE.replace('{ via: workflow, workflowId: "78" }', '{ via: schedule }');
      await Promise.all([writeFile(programs, scheduled), writeFile(dialect, 'schedule: { changeProperty: change }\n')]);
      const { stdout: stdin } = await loyaltyd(['trigger', 'member.updated', '--dry-run']);
      const words = ['lint', '-', '-o', 'jsonl', '--programs', programs];
      expect(await loyaltyd(words, { stdin })).toMatchObject({ code: 2, stdout: '' });
      const { code, stdout } = await loyaltyd([...words, '--dialect', dialect], { stdin });
      expect(code).toBe(0);
      expect(linesOf(stdout)).toMatchObject([{ verdict: 'accepted', causes: ['schedule-update'] }]);
      await writeFile(dialect, 'nonsense: 1\n');
      expect(await loyaltyd([...words, '--dialect', dialect], { stdin })).toMatchObject({ code: 2, stdout: '' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
