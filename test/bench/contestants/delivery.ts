import type { Observation } from '#outbox';
import { DeliveryLoop, deliverySettings } from '#outbox';
import { LocalWake } from '#platform';

import type { BenchStore } from '../bench-parts.js';
import { benchGateway, benchPrograms, CountingDatabase, openStore } from '../bench-parts.js';
import { machineMs } from '../child.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Contestant, RoundInput } from './contestant.js';
import { Stopwatch } from './contestant.js';

/** When a delivery counts as ended: rejects on anything but applied attempts, and when it takes too long. */
export class Finish {
  readonly reached: Promise<unknown>;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly wanted: number;
  private count = 0;
  private lastAt = machineMs();

  /** @param notAwaited a lane that is not part of the work */
  constructor(
    { members, intentsPerMember, secondsMax, until }: RoundInput,
    private readonly notAwaited: number | null,
  ) {
    this.wanted = until?.deliveries ?? members * intentsPerMember;
    const tooLate = (): void => this.fail(`only ${this.count} of ${this.wanted} delivered in ${secondsMax} s`);
    const timer = setTimeout(tooLate, secondsMax * 1_000);
    this.reached = this.end.promise.finally(() => clearTimeout(timer));
  }

  get applied(): number {
    return this.count;
  }

  /** By the machine's clock. */
  get lastAppliedAt(): number {
    return this.lastAt;
  }

  readonly observe = (observation: Observation): void => {
    if (observation.kind !== 'attempt' || observation.outcome !== 'applied') {
      this.fail(`a delivery went wrong: ${JSON.stringify(observation)}`);
    } else if (observation.laneId !== this.notAwaited) {
      this.count += 1;
      this.lastAt = machineMs();
      if (this.count === this.wanted) this.reach();
    }
  };

  reach(): void {
    this.end.resolve(undefined);
  }

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }
}

const partnerTimeoutMs = 10_000;
/** How often one of several processes asks whether all of them have done everything. */
const pollIntervalMs = 200;

const laneOf = async ({ databaseUrl, notAwaited }: RoundInput): Promise<number | null> => {
  if (notAwaited === undefined) return null;
  const text = `SELECT lane_id::int AS lane FROM member WHERE member_id = '${notAwaited}'`;
  return (await runSql<{ lane: number }>(databaseUrl, text))[0]?.lane ?? null;
};

/** Resolves the finish once no lane is due or leased. */
const watchForEnd = ({ database }: BenchStore, finish: Finish): NodeJS.Timeout => {
  const statement = { name: 'any_due', text: 'SELECT EXISTS (SELECT FROM lane WHERE due_at IS NOT NULL) AS due' };
  const look = async (): Promise<void> => {
    const { rows } = await database.execute<{ due: boolean }>(statement);
    if (rows[0]?.due === false) finish.reach();
  };
  const failed = (error: unknown): void => finish.fail('looking for the end failed', error);
  return setInterval(() => void look().catch(failed), pollIntervalMs);
};

const play = async (input: RoundInput, isShare: boolean): ReturnType<Contestant> => {
  const store = await openStore(input.databaseUrl, input.encryptionKey);
  const gateway = benchGateway(input.stubOrigin, store.clock);
  const finish = new Finish(input, await laneOf(input));
  const database = new CountingDatabase(store.database);
  const loop = new DeliveryLoop(
    {
      clock: store.clock,
      random: store.random,
      database,
      partner: gateway.partner,
      wake: new LocalWake(),
      keys: store.keys.members,
      macKey: store.keys.mac,
      observe: finish.observe,
      onFailure: (operation, error) => finish.fail(`${operation} failed`, error),
    },
    deliverySettings(partnerTimeoutMs),
  );
  const from = machineMs();
  const watch = new Stopwatch();
  loop.start(benchPrograms(input.concurrency, input.programs).programs);
  const timer = isShare ? watchForEnd(store, finish) : null;
  await finish.reached;
  const figures = { ...watch.read(finish.applied, database.statements), span: { from, to: finish.lastAppliedAt } };
  if (timer !== null) clearInterval(timer);
  await loop.drain();
  await gateway.close();
  await store.close();
  return figures;
};

/** The daemon's delivery loop on its gateway, from its start until what it is to do is done and recorded. */
export const delivery: Contestant = (input) => play(input, false);

/** One of several on one database: ends when nobody has anything left. */
export const deliveryShare: Contestant = (input) => play(input, true);
