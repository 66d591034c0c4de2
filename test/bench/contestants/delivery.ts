import { DeliveryLoop, deliverySettings, type Observation } from '#delivery';
import { LocalWake } from '#platform';
import { benchGateway, benchPrograms } from '../bench-program.js';
import { openStore } from '../bench-store.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Contestant, RoundInput } from './contestant.js';
import { CountingDatabase } from './counting-database.js';
import { Stopwatch } from './stopwatch.js';

const partnerTimeoutMs = 10_000;

/** Resolves when so many attempts have been recorded as applied; rejects on anything else, and when it takes too long. */
class Finish {
  private readonly end = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;
  private readonly wanted: number;
  private applied = 0;

  constructor(
    { members, intentsPerMember, secondsMax }: RoundInput,
    private readonly notAwaited: number | null,
  ) {
    const wanted = members * intentsPerMember;
    this.wanted = wanted;
    const tooLate = (): void => this.fail(`only ${this.applied} of ${wanted} delivered in ${secondsMax} s`);
    this.timer = setTimeout(tooLate, secondsMax * 1_000);
  }

  readonly reached = this.end.promise.finally(() => clearTimeout(this.timer));

  readonly observe = (observation: Observation): void => {
    if (observation.kind !== 'attempt' || observation.outcome !== 'applied') {
      this.fail(`a delivery went wrong: ${JSON.stringify(observation)}`);
    } else if (observation.laneId !== this.notAwaited) {
      this.applied += 1;
      if (this.applied === this.wanted) this.end.resolve(undefined);
    }
  };

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }
}

const laneOf = async ({ databaseUrl, notAwaited }: RoundInput): Promise<number | null> => {
  if (notAwaited === undefined) return null;
  const text = `SELECT lane_id::int AS lane FROM member WHERE member_id = '${notAwaited}'`;
  return (await runSql<{ lane: number }>(databaseUrl, text))[0]?.lane ?? null;
};

/** The daemon's delivery loop on its gateway, from its start until the backlog is drained and recorded. */
export const delivery: Contestant = async (input) => {
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
      observe: finish.observe,
      onTrouble: (operation, error) => finish.fail(`${operation} failed`, error),
    },
    deliverySettings(partnerTimeoutMs),
  );
  const watch = new Stopwatch();
  loop.start(benchPrograms(input.concurrency).programs);
  await finish.reached;
  const figures = watch.read(input.members * input.intentsPerMember, database.statements);
  await loop.drain();
  await gateway.close();
  await store.close();
  return figures;
};
