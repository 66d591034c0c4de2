import type { Factor, Operation } from '#intents/core';
import { OPERATIONS } from '#intents/core';
import { PauseRepository } from '#intents';

import type { SimDaemon } from '../daemon/sim-daemon.js';
import type { Chance } from '#shop';
import type { OperatorClient } from './clients.js';
import type { Corrector } from './corrector.js';
import type { MomentFault } from './fault.js';
import type { Fleet, ProgramsFiles } from './fleet.js';
import type { StoredOffsetRow } from './rest-watch.js';
import type { WorldContext } from './context.js';

const outageMsMax = 12_000;
/** Longer than a lease. */
const stopMsMax = 40_000;
const restartMsMax = 5_000;
/** Above and below what makes a clock distrusted; below what a lease has in reserve. */
const jumpMsMax = 1_500;
const reloadMsMax = 8_000;
/** So long that what was in doubt before is settled by the other file. */
const retypingMsMax = 30_000;
const systemicMsMax = 8_000;
const narrowPauseMs = 3_000;
const daemonsMax = 4;

/** What of an operation's calls of a program may be paused; null: all of them. No operation: of every one. */
function narrowFactorsOf(operation: Operation | null, program: string): readonly (Factor | null)[] {
  if (operation === null) return [null, `member:${program}-0`, 'store:berlin'];
  if (operation === 'reward') return ['reward:9001', 'store:berlin'];
  if (operation !== 'transaction') return [null];
  return ['transaction-type:31', 'event-type:loyalty.purchase.completed.v1', 'store:berlin'];
}

export interface NemesisParts {
  readonly fleet: Fleet;
  readonly operator: OperatorClient;
  readonly corrector: Corrector;
  readonly shelf: ProgramsFiles;
  readonly storedOffsets: () => readonly StoredOffsetRow[];
}

/** Does to a world what its scenario says, at the times it says. */
export class Nemesis {
  private readonly chance: Chance;
  private isOver = false;

  constructor(
    private readonly around: WorldContext,
    private readonly parts: NemesisParts,
  ) {
    this.chance = around.chance.fork('nemesis');
  }

  schedule(): void {
    const { timeline, faultCounts, scenario } = this.around;
    for (const { fault, at } of scenario.moments) {
      timeline.after(at, fault, () => {
        faultCounts.set(fault, (faultCounts.get(fault) ?? 0) + 1);
        this.strike(fault);
      });
    }
  }

  /** What has been begun is ended by whoever heals the world. */
  stop(): void {
    this.isOver = true;
  }

  private strike(fault: MomentFault): void {
    const { database, partner, broker, group } = this.around;
    switch (fault) {
      case 'db-outage': {
        this.outage(database.weather, fault);
        return;
      }
      case 'partner-outage': {
        this.outage(partner.weather, fault);
        return;
      }
      case 'broker-outage': {
        this.outage(broker.weather, fault);
        return;
      }
      case 'crash':
      case 'stop':
      case 'drain':
      case 'join':
      case 'clock-jump': {
        this.strikeProcess(fault);
        return;
      }
      case 'reload': {
        this.reload();
        return;
      }
      case 'rebalance': {
        group.rebalance();
        return;
      }
      case 'topic-recreated':
      case 'partition-added':
      case 'retention-gap': {
        this.strikeTopic(fault);
        return;
      }
      case 'pause': {
        this.pause();
        return;
      }
      case 'systemic-refusal': {
        this.refuseAll();
        return;
      }
      case 'corrected-by-hand': {
        this.parts.corrector.correct();
        return;
      }
    }
  }

  private outage(weather: { isDown: boolean }, fault: MomentFault): void {
    weather.isDown = true;
    this.later(outageMsMax, `${fault} ends`, () => {
      weather.isDown = false;
    });
  }

  private strikeProcess(fault: 'crash' | 'stop' | 'drain' | 'join' | 'clock-jump'): void {
    const { fleet } = this.parts;
    const victim = this.chance.pickAny(fleet.running);
    if (fault === 'join') {
      if (fleet.present.length < daemonsMax) fleet.start();
    } else if (victim !== undefined) this.strikeDaemon(victim, fault);
  }

  private strikeDaemon(victim: SimDaemon, fault: 'crash' | 'stop' | 'drain' | 'clock-jump'): void {
    switch (fault) {
      case 'crash':
        victim.kill();
        this.startAnother();
        return;
      case 'drain':
        victim.drain();
        this.startAnother();
        return;
      case 'stop': {
        victim.process.stopFor(this.chance.unit() * stopMsMax);
        return;
      }
      case 'clock-jump':
        victim.clock.jump((this.chance.unit() * 2 - 1) * jumpMsMax);
    }
  }

  private startAnother(): void {
    this.later(restartMsMax, 'a daemon is started', () => {
      this.parts.fleet.start();
    });
  }

  private reload(): void {
    const { fleet, shelf } = this.parts;
    const name = this.chance.pickAny(this.around.scenario.programs)?.name ?? '';
    const isRetyping = this.chance.happens(0.5);
    fleet.reload(isRetyping ? shelf.retyping(name) : shelf.without(name));
    this.later(isRetyping ? retypingMsMax : reloadMsMax, 'the programs file is whole again', () => {
      fleet.reload(shelf.whole);
    });
  }

  private strikeTopic(fault: 'topic-recreated' | 'partition-added' | 'retention-gap'): void {
    const { broker, group } = this.around;
    const topic = this.chance.pickAny(broker.topicNames) ?? '';
    if (fault === 'partition-added') broker.addPartition(topic);
    else if (fault === 'retention-gap') this.retain(topic);
    else if (this.canBeRecreated(topic)) broker.recreate(topic);
    group.rebalance();
  }

  /** A topic that was created anew is told by the record at the last offset consumed: it must be there. */
  private retain(topic: string): void {
    const { broker } = this.around;
    if (broker.logsOf(topic).every(({ incarnation }) => incarnation === 1)) broker.retain(topic);
  }

  private canBeRecreated(topic: string): boolean {
    return !this.around.scenario.faults.includes('control-records') && this.hasBeenConsumed(topic);
  }

  /** What nobody has consumed from since it was created cannot be told from what was created anew (decision 0017). */
  private hasBeenConsumed(topic: string): boolean {
    const { broker } = this.around;
    const stored = this.parts.storedOffsets().filter((row) => row.topic === topic && row.last_offset !== null);
    const consumed = new Set(stored.map(({ incarnation, partition }) => `${incarnation}/${partition}`));
    return broker
      .logsOf(topic)
      .every((log) => log.high === 0 || consumed.has(`${broker.incarnationOf(log)}/${log.partition}`));
  }

  private pause(): void {
    const program = this.chance.pickAny([null, ...this.around.scenario.programs.map(({ name }) => name)]) ?? null;
    const operation = this.chance.pickAny([null, ...OPERATIONS]) ?? null;
    const factors = program === null ? [null] : narrowFactorsOf(operation, program);
    const factor = this.chance.fork(`factor at ${this.around.timeline.now}`).pickAny(factors) ?? null;
    const { operator } = this.parts;
    operator.act('pauses', (database, now) =>
      new PauseRepository(database).set({
        ...{ program, operation, factor, by: 'sim', reason: 'because', automatic: false, now },
        // What is narrow ends by itself.
        until: factor === null ? null : now + narrowPauseMs,
      }),
    );
    this.later(reloadMsMax, 'pauses are lifted', () => {
      operator.liftAll();
    });
  }

  private refuseAll(): void {
    const { weather } = this.around.partner;
    weather.systemic = this.chance.pickAny(OPERATIONS) ?? null;
    this.later(systemicMsMax, 'refusals end', () => {
      weather.systemic = null;
    });
  }

  private later(delayMsMax: number, label: string, task: () => void): void {
    this.around.timeline.after(this.chance.unit() * delayMsMax, label, () => {
      if (!this.isOver) task();
    });
  }
}
