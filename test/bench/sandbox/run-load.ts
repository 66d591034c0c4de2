import { percentile } from '../statistics.js';
import type { LoadTarget, RawAnswer } from './load-connection.js';
import { LoadConnection } from './load-connection.js';

/** What the load generator asks the sandbox for. */
type LoadKind = 'transaction' | 'issue' | 'lookup' | 'reward' | 'list';

/** One measurement, as the load generator is told it. */
export interface LoadJob {
  readonly kind: LoadKind;
  /** Makes new values (members, receipts) different from those of every other job. */
  readonly run: string;
  /** Members `m_0` up to this number have a pass. */
  readonly passes: number;
  readonly connections: number;
  /** Ends after so long, */
  readonly seconds: number;
  /** or after so many requests. */
  readonly requestsMax: number | null;
  /** Requests per second, sent when they are due whatever became of earlier ones. Null: each connection sends its next
   * request as soon as it has an answer. */
  readonly rate: number | null;
}

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface LoadFigures {
  /** Requests answered with 200; any other answer fails the job. */
  readonly done: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** In a closed loop from sending, in an open one from when the request was due. */
  readonly latencyMs: Latencies;
  /** Processor time of the load generator. */
  readonly cpuSeconds: number;
}

export const latenciesOf = (valuesMs: readonly number[]): Latencies => ({
  p50: percentile(valuesMs, 0.5),
  p99: percentile(valuesMs, 0.99),
  max: percentile(valuesMs, 1),
});

const programPath = '/brands/101/programs/2001';
/** The largest that partner-api.md 4.5 allows. */
export const listPageSize = 2_000;
/** Prime, so that members come in an order that no index of the sandbox's is sorted by. */
const memberStride = 7_919;

type Build = (job: LoadJob, index: number) => { readonly line: string; readonly body: string };

const memberOf = ({ passes }: LoadJob, index: number): string => `m_${(index * memberStride) % passes}`;

const builders: Readonly<Record<LoadKind, Build>> = {
  transaction: (job, index) => ({
    line: `POST ${programPath}/transaction-types/31/transactions?unique_id=${memberOf(job, index)}`,
    body: JSON.stringify({
      amount: 59.99,
      transactionDate: '2026-11-21T09:15:04.000Z',
      attributes: { store: `s_${index % 50}`, receipt: `${job.run}-${index}` },
    }),
  }),
  issue: ({ run }, index) => ({
    line: `POST ${programPath}/issue-wallet`,
    body: JSON.stringify({
      person: { firstName: 'Ada', lastName: `L${index}`, email: `${run}_${index}@example.com` },
      passdata: { points: 100, metaData: { memberId: `${run}_${index}` } },
    }),
  }),
  lookup: (job, index) => ({ line: `GET ${programPath}/wallets?unique_id=${memberOf(job, index)}`, body: '' }),
  reward: (job, index) => ({
    line: `POST ${programPath}/rewards/9001/wallet-pass?unique_id=${memberOf(job, index)}`,
    body: '',
  }),
  list: ({ passes }, index) => {
    const page = 1 + (index % Math.max(1, Math.floor(passes / listPageSize)));
    return { line: `GET ${programPath}/wallet-passes?pageSize=${listPageSize}&pageNumber=${page}`, body: '' };
  },
};

/** Writes the requests of a job, as they go over the wire. */
const requestWriter = (job: LoadJob, { host, port, token }: LoadTarget): ((index: number) => string) => {
  const build = builders[job.kind];
  const head = ` HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\n`;
  return (index) => {
    const { line, body } = build(job, index);
    if (body === '') return `${line}${head}content-length: 0\r\n\r\n`;
    return `${line}${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
};

interface LoopResult {
  readonly latenciesMs: number[];
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** @throws for any answer but 200: a rate of refusals is no rate */
const expectOk = ({ status, body }: RawAnswer, request: string): void => {
  if (status === 200) return;
  throw new Error(`${request.slice(0, request.indexOf('\r\n'))} was answered with ${status}: ${body.slice(0, 500)}`);
};

/** As many requests as the sandbox can answer: every connection sends its next one when it has an answer. */
const runClosedLoop = async (
  { seconds, requestsMax }: LoadJob,
  connections: readonly LoadConnection[],
  requestOf: (index: number) => string,
): Promise<LoopResult> => {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1_000;
  let sent = 0;
  const drive = async (connection: LoadConnection): Promise<void> => {
    for (let sentAt = performance.now(); sentAt < deadline && sent < (requestsMax ?? Infinity);) {
      const request = requestOf(sent);
      sent += 1;
      expectOk(await connection.exchange(request), request);
      const answeredAt = performance.now();
      latenciesMs.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(connections.map(drive));
  return { latenciesMs, seconds: (performance.now() - startedAt) / 1_000 };
};

/** Requests that fall due between two looks at the clock are sent together; the delay counts as latency. */
const pollIntervalMs = 1;

/**
 * Requests at a given rate, evenly spaced, each measured from when it was due: one that had to wait for a free
 * connection because the sandbox was slow counts with its wait (no coordinated omission).
 */
const runOpenLoop = async (
  job: LoadJob & { readonly rate: number },
  connections: readonly LoadConnection[],
  requestOf: (index: number) => string,
): Promise<LoopResult> => {
  const latenciesMs: number[] = [];
  const idle = [...connections];
  const total = Math.ceil(job.rate * job.seconds);
  const finished = Promise.withResolvers<LoopResult>();
  const startedAt = performance.now();
  const dueAt = (index: number): number => startedAt + (index * 1_000) / job.rate;
  let sent = 0;
  const send = async (connection: LoadConnection, index: number): Promise<void> => {
    const request = requestOf(index);
    expectOk(await connection.exchange(request), request);
    latenciesMs.push(performance.now() - dueAt(index));
    idle.push(connection);
    if (latenciesMs.length < total) sendDue();
    else finished.resolve({ latenciesMs, seconds: (performance.now() - startedAt) / 1_000 });
  };
  const sendDue = (): void => {
    while (sent < total && dueAt(sent) <= performance.now()) {
      const connection = idle.pop();
      if (connection === undefined) return;
      send(connection, sent).catch(finished.reject);
      sent += 1;
    }
  };
  const timer = setInterval(sendDue, pollIntervalMs);
  return finished.promise.finally(() => clearInterval(timer));
};

/** Runs one job in this process. Throws at the first answer that is not a 200. */
export const runLoad = async (job: LoadJob, target: LoadTarget): Promise<LoadFigures> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => LoadConnection.open(target)));
  const requestOf = requestWriter(job, target);
  const { rate } = job;
  const cpuBefore = process.cpuUsage();
  try {
    const { latenciesMs, seconds } =
      rate === null
        ? await runClosedLoop(job, connections, requestOf)
        : await runOpenLoop({ ...job, rate }, connections, requestOf);
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      done: latenciesMs.length,
      seconds,
      latencyMs: latenciesOf(latenciesMs),
      cpuSeconds: (user + system) / 1e6,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
};
