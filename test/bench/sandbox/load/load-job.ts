export const loadKinds = ['transaction', 'issue', 'lookup', 'reward', 'list'] as const;

/** What the load generator asks the sandbox for. */
export type LoadKind = (typeof loadKinds)[number];

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

export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export interface Latencies {
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
