import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { Http2Server } from 'node:http2';
import { createServer } from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { ObjectContext } from '@restatedev/restate-sdk';
import { createEndpointHandler, object } from '@restatedev/restate-sdk';
import { Pool, request } from 'undici';

import type { BoundProcess } from '#embedded';
import { freeLoopbackPorts, startBoundProcess, waitUntil } from '#embedded';

import { memberId } from '../backlog/purchase-event.js';
import { treeCpuSeconds } from '../infrastructure/process-times.js';
import { bareClient } from './bare-client.js';
import type { Contestant, RoundInput } from './contestant.js';
import { Stopwatch } from './contestant.js';
import type { Job } from './jobs.js';

/**
 * The best found among 2 to 24 partitions, both log providers, bidirectional streams (HTTP/2 without TLS) or not, and 64 to
 * 1,000 invocations at once.
 */
export const restateSettings = {
  partitions: 4,
  bifrostProvider: 'local',
  concurrentInvocations: 64,
  protocol: 'h2c, bidirectional',
  lazyState: true,
  journalRetention: 0,
} as const;

const ingressConnections = 64;
const startTimeoutMs = 30_000;
const stopGraceMs = 1_000;
const successBelow = 300;

/** The server's program, which comes in a package for each platform; null where there is none. */
export const restateProgram = (): string | null => {
  try {
    const { resolve } = createRequire(import.meta.url);
    const folder = dirname(resolve(`@restatedev/restate-server-${platform()}-${arch()}/package.json`));
    const program = join(folder, 'bin', 'restate-server');
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
};

interface Ports {
  readonly node: number;
  readonly admin: number;
  readonly ingress: number;
}

const configuration = (folder: string, { node, admin, ingress }: Ports): string => `
base-dir = "${folder}/data"
default-num-partitions = ${restateSettings.partitions}
default-journal-retention = "0s"
bind-address = "127.0.0.1:${node}"
listen-mode = "tcp"
disable-telemetry = true
disable-prometheus = true
log-filter = "error"
[bifrost]
default-provider = "${restateSettings.bifrostProvider}"
[admin]
bind-address = "127.0.0.1:${admin}"
disable-web-ui = true
[ingress]
bind-address = "127.0.0.1:${ingress}"
[worker.invoker]
concurrent-invocations-limit = ${restateSettings.concurrentInvocations}
`;

interface RestateServer {
  /** The guard of the server, and so its parent. */
  readonly process: BoundProcess;
  readonly ports: Ports;
}

/** Its files go with it. Every write is durable before it is acknowledged, as the server has it by default. */
const startServer = async (): Promise<RestateServer> => {
  const command = restateProgram();
  if (command === null) throw new Error('no server of Restate for this platform');
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-restate-'));
  const [node = 0, admin = 0, ingress = 0] = await freeLoopbackPorts(3);
  const ports = { node, admin, ingress };
  const file = join(folder, 'restate.toml');
  await writeFile(file, configuration(folder, ports));
  const process = await startBoundProcess({
    command,
    args: ['--config-file', file, '--no-logo'],
    cwd: folder,
    logFile: join(folder, 'restate.log'),
    graceMs: stopGraceMs,
    removeFolder: folder,
  });
  return { process, ports };
};

/** Tells the server where the handlers are, as soon as it listens. */
const register = async ({ process, ports }: RestateServer, port: number): Promise<void> => {
  const post = async (): Promise<boolean> => {
    if (!process.isRunning()) throw new Error(`the server of Restate ended: ${process.logTail()}`);
    try {
      const { statusCode, body } = await request(`http://127.0.0.1:${ports.admin}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
      });
      await body.dump();
      return statusCode < successBelow;
    } catch {
      return false;
    }
  };
  await waitUntil(post, { what: 'the server of Restate to take the handlers', timeoutMs: startTimeoutMs });
};

/** One invocation for each job, members in turn: all of a rank are acknowledged before the next rank follows. */
const fill = async ({ ports }: RestateServer, { members, intentsPerMember }: RoundInput): Promise<void> => {
  const pool = new Pool(`http://127.0.0.1:${ports.ingress}`, { connections: ingressConnections });
  const headers = { 'content-type': 'application/json' };
  const send = async (member: number, rank: number): Promise<void> => {
    const path = `/member/${memberId(member)}/send/send`;
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify({ member, rank }) });
    await answer.body.dump();
    if (answer.statusCode >= successBelow) throw new Error(`Restate took no invocation: ${answer.statusCode}`);
  };
  for (let rank = 1; rank <= intentsPerMember; rank += 1) {
    const rest = Array.from({ length: members }, (_, member) => member).values();
    const lane = async (): Promise<void> => {
      for (const member of rest) await send(member, rank);
    };
    await Promise.all(Array.from({ length: ingressConnections }, lane));
  }
  await pool.close();
};

/** Serves one virtual object per member, whose invocations Restate runs one after the other. */
const serve = async (send: (job: Job) => Promise<string>): Promise<Http2Server> => {
  const member = object({
    name: 'member',
    handlers: {
      send: async (context: ObjectContext, job: Job): Promise<void> => {
        // Its result is durable before the invocation ends: the partner's answer, as we keep it.
        await context.run('send', () => send(job));
      },
    },
    options: { enableLazyState: restateSettings.lazyState, journalRetention: restateSettings.journalRetention },
  });
  const server = createServer(createEndpointHandler({ services: [member], logger: () => undefined }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** Jobs wait until the gate opens, and none begins any more once it is closed. */
class Gate {
  readonly finished: Promise<unknown>;
  private readonly opening = Promise.withResolvers<undefined>();
  private readonly end = Promise.withResolvers<undefined>();
  private count = 0;

  constructor(private readonly wanted: number) {
    this.finished = this.end.promise;
  }

  get done(): number {
    return this.count;
  }

  open(secondsMax: number): void {
    this.opening.resolve(undefined);
    const timer = setTimeout(() => this.end.resolve(undefined), secondsMax * 1_000);
    void this.finished.then(() => clearTimeout(timer));
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    await this.opening.promise;
    const result = await work();
    this.count += 1;
    if (this.count === this.wanted) this.end.resolve(undefined);
    return result;
  }
}

/**
 * Restate with one virtual object per member and the call inside `ctx.run`. The backlog is taken in by its HTTP ingress
 * before the time runs, and waits for the first answer of the handlers.
 */
export const restate: Contestant = async (input) => {
  const client = bareClient(input.stubOrigin);
  const gate = new Gate(input.members * input.intentsPerMember);
  const handlers = await serve((job) =>
    gate.pass(async () => (await client.postTransaction(job.member, job.rank)).answer),
  );
  const server = await startServer();
  const cpuSeconds = async (): Promise<number> => (await treeCpuSeconds(server.process.pid)) ?? NaN;
  try {
    await register(server, (handlers.address() as AddressInfo).port);
    await fill(server, input);
    const before = await cpuSeconds();
    const watch = new Stopwatch();
    gate.open(input.secondsMax);
    await gate.finished;
    return { ...watch.read(gate.done), ownServerCpuSeconds: (await cpuSeconds()) - before };
  } finally {
    await server.process.stop();
    handlers.close();
    await client.close();
  }
};
