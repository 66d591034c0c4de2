/** What a contestant is to do in one round. */
export interface RoundInput {
  /** The partner stub: `http://127.0.0.1:PORT`. */
  readonly stubOrigin: string;
  /** The round's own database; empty for those who need none. */
  readonly databaseUrl: string;
  /** Base64; the key that the backlog was sealed with. */
  readonly encryptionKey: string;
  readonly members: number;
  readonly intentsPerMember: number;
  readonly concurrency: number;
  /** After so long a slow contestant stops and is judged by what it has done. */
  readonly secondsMax: number;
  readonly kafka: KafkaInput | null;
  /** A member whose intents are not part of the work, only in its way. */
  readonly notAwaited?: string;
  /** Work that may be left undone. Default: all of it must be done. */
  readonly until?: { readonly deliveries: number };
  /** Programs of the file. Default: the benchmark's one. */
  readonly programs?: readonly string[];
  /** Processes that share the work. */
  readonly processes?: number;
  /** A job queue also writes rows of its attempts (attempt-rows.ts). Default: false. */
  readonly hasAttemptRows?: boolean;
}

/** Records that wait in Kafka. */
export interface KafkaInput {
  readonly brokers: string;
  readonly topic: string;
  /** A consumer group of its own. */
  readonly groupId: string;
  readonly records: number;
}

export interface RoundFigures {
  /** Units that count: those that the seconds are about. */
  readonly done: number;
  /** Units since the beginning of the round; default: all of them count. */
  readonly altogether?: number;
  readonly seconds: number;
  /** User and system time of the contestant's process meanwhile. */
  readonly cpuSeconds: number;
  /** Statements sent to Postgres, where they could be counted. */
  readonly statements: number | null;
  /** Processor time of a server of its own meanwhile, where it has one instead of Postgres. */
  readonly ownServerCpuSeconds?: number;
  /** Of a consumer that shares its group with others. */
  readonly commits?: readonly Commit[];
  /** From the start to the last delivery, by the machine's clock. */
  readonly span?: { readonly from: number; readonly to: number };
}

/** A commit of a consumer, by the machine's clock, and what its process had taken so far. */
export interface Commit {
  readonly at: number;
  readonly count: number;
  readonly cpuSeconds: number;
  readonly statements: number;
}

/** The answer to one `RoundInput`. */
export type RoundAnswer = { readonly figures: RoundFigures } | { readonly error: string };

/** One way to do the work. Throws when it could not. */
export type Contestant = (input: RoundInput) => Promise<RoundFigures>;

/** Wall and processor time from its making on. */
export class Stopwatch {
  private readonly startedAt = performance.now();
  private readonly cpuAtStart = process.cpuUsage();

  read(done: number, statements: number | null = null): RoundFigures {
    const { user, system } = process.cpuUsage(this.cpuAtStart);
    const seconds = (performance.now() - this.startedAt) / 1_000;
    return { done, seconds, cpuSeconds: (user + system) / 1e6, statements };
  }
}

/**
 * Calls `work` for every member and rank, `concurrency` at once; each member's ranks in order.
 * @returns how many calls were made
 */
export const concurrently = async (
  sizes: { readonly members: number; readonly intentsPerMember: number; readonly concurrency: number },
  work: (member: number, rank: number) => Promise<void>,
): Promise<number> => {
  const { members, intentsPerMember, concurrency } = sizes;
  const lane = async (first: number): Promise<void> => {
    for (let rank = 1; rank <= intentsPerMember; rank += 1) {
      for (let member = first; member < members; member += concurrency) await work(member, rank);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, first) => lane(first)));
  return members * intentsPerMember;
};
