/**
 * The program of the embedded broker's own process, so that its native code cannot take the daemon down:
 * `node embedded-broker-host MODULE`. Prints one JSON line, `{"brokers":"127.0.0.1:PORT"}`, and stays until it is told
 * to end. It imports nothing of ours: in a checkout it runs from its source, where Node itself strips the types.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

interface KafkaClient {
  createProducer(settings: object): object;
}

interface BrokerModule {
  readonly KafkaClient: new (settings: object) => KafkaClient;
}

const portTimeoutMs = 10_000;
const portIntervalMs = 10;
const listeningState = '0A';

const socketInodes = (): Set<string> => {
  const inodes = new Set<string>();
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
      if (inode !== undefined) inodes.add(inode);
    } catch {
      // the descriptor that listed the folder
    }
  }
  return inodes;
};

/** proc(5): fields of /proc/net/tcp are number, local address as hex ADDRESS:PORT, peer, state, ..., inode (10th). */
const linuxListeningPort = (): number | undefined => {
  const inodes = socketInodes();
  for (const line of readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    if (fields[3] !== listeningState || !inodes.has(fields[9] ?? '')) continue;
    return Number.parseInt(fields[1]?.split(':')[1] ?? '', 16);
  }
  return undefined;
};

const listeningPort = (): number | undefined => {
  if (process.platform === 'linux') return linuxListeningPort();
  const list = execFileSync('lsof', ['-nP', '-a', '-p', `${process.pid}`, '-iTCP', '-sTCP:LISTEN', '-Fn']);
  const port = /^n.*:(\d+)$/m.exec(list.toString())?.[1];
  return port === undefined ? undefined : Number(port);
};

const settings = { configuration: { 'test.mock.num.brokers': '1' } };
const { KafkaClient } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as BrokerModule;
const client = new KafkaClient({ brokers: '127.0.0.1:1', clientId: 'loyaltyd-embedded-broker', ...settings });
// The broker lives as long as this producer; the interval below keeps it from being collected.
const producer = client.createProducer(settings);

// librdkafka chooses the port and tells it only to its own log: it is the one this process listens on.
const deadline = performance.now() + portTimeoutMs;
const timer = setInterval(() => {
  const port = listeningPort();
  if (port === undefined && performance.now() < deadline) return;
  clearInterval(timer);
  if (port === undefined) throw new Error('the embedded broker did not open a port');
  process.stdout.write(`${JSON.stringify({ brokers: `127.0.0.1:${port}` })}\n`);
  setInterval(() => [client, producer], 2 ** 30);
}, portIntervalMs);
