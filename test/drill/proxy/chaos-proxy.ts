import { readdir, readFile, readlink } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

import type { Chance } from '#shop';
import type { LinkOptions, Weather } from './link.js';
import { fairWeather, Link } from './link.js';

interface ChaosProxyOptions {
  readonly speaks: LinkOptions['speaks'];
  /** Where the server is now; null: nowhere. */
  readonly target: () => number | null;
  readonly chance: Chance;
  /** 0: any free one. */
  readonly port?: number;
}

/** A TCP proxy on loopback before one server, that can make the network as bad as wanted. */
export class ChaosProxy {
  private readonly open = new Set<Link>();
  private weather: Weather = fairWeather;
  private commitsToLose = 0;
  /** Commits whose answers were lost so far. */
  commitsLost = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: ChaosProxyOptions,
  ) {}

  static async start(options: ChaosProxyOptions): Promise<ChaosProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new ChaosProxy(server, options);
    server.on('connection', (client) => {
      proxy.join(client);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get links(): readonly Link[] {
    return [...this.open];
  }

  /** From now on; whoever has been left waiting for swallowed bytes is disconnected when they may flow again. */
  setWeather(weather: Weather): void {
    this.weather = weather;
    if (!weather.isBlackHole) for (const link of this.links) if (link.isDead) link.reset();
  }

  /** The next commits are carried out and their answers lost. */
  loseCommits(count: number): void {
    this.commitsToLose = count;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const link of this.links) link.reset();
    await closed;
  }

  private join(client: Socket): void {
    const port = this.options.target();
    client.on('error', () => undefined);
    if (port === null || this.weather.isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    const link = new Link({
      client,
      upstream,
      weather: () => this.weather,
      chance: this.options.chance,
      speaks: this.options.speaks,
      losesCommit: () => this.losesCommit(),
      onClosed: () => this.open.delete(link),
    });
    this.open.add(link);
  }

  private losesCommit(): boolean {
    if (this.commitsToLose === 0) return false;
    this.commitsToLose -= 1;
    this.commitsLost += 1;
    return true;
  }
}

/** The local TCP ports of a process' connections, by /proc; null where the system has no such thing. */
export async function processPorts(pid: number): Promise<ReadonlySet<number> | null> {
  const inodes = await socketInodes(pid);
  if (inodes === null) return null;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const ports = new Set<number>();
  for (const line of tables.join('\n').split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (inodes.has(fields[9] ?? '')) ports.add(Number.parseInt(fields[1]?.split(':').at(-1) ?? '0', 16));
  }
  return ports;
}

async function socketInodes(pid: number): Promise<ReadonlySet<string> | null> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
