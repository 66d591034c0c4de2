import type { ProgramsFile } from '#contracts';
import type { IdentityPlace } from '#intents/core';
import type { OutcomeSink } from '#events/ingest';
import type { MemberKeys } from '#intents';
import { acceptGap, PauseRepository, IntentActionRepository } from '#intents';
import type { Database, SqlStatement } from '#platform';

import type { HeardOutcome } from '../../checker/index.js';
import type { ErasedNames } from '../../reading/erased-names.js';
import type { MemberKeysPool } from '../daemon/member-keys-pool.js';
import { SimDatabase } from '../database/sim-database.js';
import type { Chance } from '#shop';
import type { ProducedRecord } from '../kafka/broker.js';
import { SimProcess } from '../kernel/sim-process.js';
import { SimRandom } from '../kernel/sim-random.js';
import type { PlantedBug } from '../planted/planted-bug.js';
import type { WorldContext } from './context.js';
import { drawTraffic } from './traffic.js';

const blockingStatement: SqlStatement = {
  name: 'sim_blocking_enrolments',
  text: `
SELECT l.lane_id AS "laneId", l.cur_seq AS seq FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND i.seq = l.cur_seq
WHERE l.state = 'blocked' AND i.operation IN ('issue', 'issue-via-workflow') ORDER BY 1`,
};

const givesUpEveryMs = 3_000;

/** A person's hand in the tables: what fails is tried again by hand, which is the world's business. */
export class OperatorClient {
  readonly keys: MemberKeys;
  private readonly database: Database;

  constructor(
    private readonly around: WorldContext,
    { keys, bug }: { readonly keys: MemberKeysPool; readonly bug: PlantedBug },
  ) {
    const { timeline, chance, database } = around;
    const process = new SimProcess('operator', timeline);
    const own = chance.fork('operator');
    this.database = bug.operators(new SimDatabase(database, process, { timeline, chance: own }));
    this.keys = keys.take(new SimRandom(own.fork('keys')));
  }

  act(what: string, run: (database: Database, now: number) => Promise<unknown>): void {
    const { timeline } = this.around;
    run(this.database, Math.floor(timeline.now)).catch(() => {
      timeline.trace.note(timeline.now, `operator ${what} failed`);
    });
  }

  /** Lets partitions go on that stand before records which retention has deleted. */
  acceptGaps(): void {
    const { broker } = this.around;
    const logs = broker.topicNames.flatMap((topic) => broker.logsOf(topic)).filter(({ low }) => low > 0);
    this.act('accepts gaps', async (database, now) => {
      for (const { topic, partition } of logs) {
        await acceptGap(database, { topic, partition, by: 'sim', reason: 'gone', now });
      }
    });
  }

  /** As long as there is trouble: cancels what blocks a lane and cannot have taken effect. */
  giveUpEnrolments(): void {
    const { timeline, scenario } = this.around;
    if (timeline.now > scenario.startsAt + scenario.troubledMs) return;
    this.act('gives up', async (database, now) => {
      const audit = { at: now, actor: 'sim', address: null, reason: 'given up' };
      for (const place of (await database.execute<IdentityPlace>(blockingStatement)).rows) {
        await new IntentActionRepository(database, this.keys).act({ place, action: { kind: 'cancel' }, audit });
      }
    });
    timeline.after(givesUpEveryMs, 'gives up', () => {
      this.giveUpEnrolments();
    });
  }

  /** Ends every pause in force, the automatic ones too. */
  liftAll(): void {
    this.act('lifts', async (database, now) => {
      for (const { program, operation, factor = null } of await new PauseRepository(database).list(now)) {
        await new PauseRepository(database).lift({ program, operation, factor, by: 'sim', reason: 'mended', now });
      }
    });
  }
}

type SentOutcomes = Parameters<OutcomeSink['send']>[0];

const losesAcknowledgement = 0.1;

/** The outcomes topic with somebody who listens to it. */
export class OutcomeListener implements OutcomeSink {
  private readonly heard: HeardOutcome[] = [];
  /** The same as they were told, whole. */
  private readonly told: { readonly type: string; readonly data: object }[] = [];

  /** Of intents, each once however often it was told. */
  get intentsHeard(): number {
    return new Set(this.heard.filter(({ seq }) => seq !== null).map(({ id }) => id)).size;
  }

  constructor(private readonly around: WorldContext) {}

  /** Each by the member's id, also where it was told after the erasure. */
  heardOf(names: ErasedNames): HeardOutcome[] {
    return this.heard.map((outcome) => ({ ...outcome, memberId: names.memberIdOf(outcome.memberId) }));
  }

  toldOf(names: ErasedNames): object[] {
    return this.told.map((outcome) => JSON.parse(names.inText(JSON.stringify(outcome))) as object);
  }

  async send(outcomes: SentOutcomes): Promise<void> {
    const { broker, chance, scenario, timeline } = this.around;
    if (broker.weather.isDown) throw new Error('the broker does not answer');
    for (const { id, name, memberId, data } of outcomes) {
      const seq = 'intentId' in data ? Number(data.intentId.split('~').at(-1)) : null;
      const passId = 'passId' in data ? Number(data.passId) : null;
      this.told.push({ type: name, data });
      this.heard.push({ id, name, program: data.program, memberId, seq, passId });
    }
    const isTroubled = timeline.now < scenario.startsAt + scenario.troubledMs;
    if (isTroubled && chance.happens(losesAcknowledgement)) throw new Error('the broker did not confirm');
  }

  async close(): Promise<void> {
    // There is nothing to let go of.
  }
}

const retryMs = 700;

/** Sends the traffic of a world: what the brokers do not confirm is sent again. */
export class Producer {
  private open = 0;
  private readonly chance: Chance;

  constructor(
    private readonly around: WorldContext,
    private readonly programs: ProgramsFile,
  ) {
    this.chance = around.chance.fork('producer');
  }

  get isDone(): boolean {
    return this.open === 0;
  }

  schedule(): void {
    const { timeline, scenario, partner } = this.around;
    for (const { at, record, other } of drawTraffic(scenario, this.programs)) {
      this.open += 1;
      timeline.after(at, 'produces', () => {
        if (other !== null) partner.serveOther(other);
        this.send(record);
      });
    }
  }

  private send(record: ProducedRecord): void {
    const { broker } = this.around;
    if (broker.weather.isDown) {
      this.sendAgain(record);
      return;
    }
    broker.append(record);
    if (this.chance.happens(broker.weather.losesProduceAcknowledgement)) this.sendAgain(record);
    else this.open -= 1;
  }

  private sendAgain(record: ProducedRecord): void {
    this.around.timeline.after(retryMs, 'produces again', () => {
      this.send(record);
    });
  }
}
