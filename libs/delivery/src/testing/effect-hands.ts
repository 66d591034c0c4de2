import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import { sentTooLate } from '../partner-calls.js';
import type { FakeStore } from './fake-store.js';
import type { Surroundings, Witness } from './surroundings.js';

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;
type OutsideEffect = EffectOf<'Claim' | 'Flush' | 'Lookup' | 'Send' | 'Release' | 'RecordLate'>;

const lateRetryMs = 500;
const lateRetriesMax = 20;

/** The process around an engine, as its hands see it. */
export interface HandsOf {
  readonly name: string;
  readonly isAlive: boolean;
  tell(event: DeliveryEvent): void;
  /** How long the process stands still before it does what is next. */
  standsStillMs(): number;
}

/** Carries out effects in virtual time, as `EffectRunner` does. What has left the process outlives it. */
export class EffectHands {
  constructor(
    private readonly actor: HandsOf,
    private readonly around: Surroundings,
    private readonly witness: Witness,
  ) {}

  run(effect: OutsideEffect): void {
    switch (effect.type) {
      case 'Claim':
        this.claim(effect);
        return;
      case 'Flush':
        this.flush(effect);
        return;
      case 'Lookup':
        this.lookup(effect);
        return;
      case 'Send':
        this.around.agenda.after(this.actor.standsStillMs(), () => {
          if (this.actor.isAlive) this.handOver(effect);
        });
        return;
      case 'Release':
        this.release(effect);
        return;
      case 'RecordLate':
        this.recordLate(effect, lateRetriesMax);
    }
  }

  private claim({ program, limit, leaseUntil }: EffectOf<'Claim'>): void {
    const { agenda, database, store } = this.around;
    const request = { program, limit, leaseUntil, now: agenda.now, owner: this.actor.name };
    const failed = (): void => {
      this.actor.tell({ type: 'ClaimFailed', program });
    };
    const opened = (lanes: readonly ReturnType<FakeStore['open']>[] | null): void => {
      if (lanes === null) failed();
      else this.actor.tell({ type: 'Claimed', program, asked: limit, lanes });
    };
    database.call(
      () => store.claim(request),
      (rows) => {
        if (rows === null) failed();
        else database.call(() => rows.map((row) => store.open(row)), opened);
      },
    );
  }

  private flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): void {
    const { agenda, trouble, database } = this.around;
    if (steps.some(({ laneId }) => laneId === trouble.poisonedLane)) {
      agenda.after(1, () => {
        this.actor.tell({ type: 'FlushFailed', flushId, isAway: false });
      });
      return;
    }
    database.recordSteps({ key: `${this.actor.name}:${flushId}`, steps, isRetry }, (results) => {
      if (results === null) this.actor.tell({ type: 'FlushFailed', flushId, isAway: true });
      else this.actor.tell({ type: 'Flushed', flushId, results });
    });
  }

  private lookup({ laneId, epoch, command, confirmsAbsence }: EffectOf<'Lookup'>): void {
    const { partner } = this.around;
    partner.lookup(command, (report) => {
      const listed = confirmsAbsence && report.kind === 'absent' ? partner.count(command) : null;
      this.actor.tell({ type: 'LookupAnswered', laneId, epoch, report, listed });
    });
  }

  private handOver(effect: EffectOf<'Send'>): void {
    const { agenda, partner } = this.around;
    const { laneId, epoch, command } = effect;
    if (agenda.now > effect.sendBy) {
      this.actor.tell({ type: 'AttemptAnswered', laneId, epoch, report: sentTooLate });
      return;
    }
    const answersAfterMs = partner.send(command, (report) => {
      this.actor.tell({ type: 'AttemptAnswered', laneId, epoch, report });
    });
    this.witness.sent(effect, agenda.now + answersAfterMs);
  }

  private release({ lanes }: EffectOf<'Release'>): void {
    const { agenda, database, store } = this.around;
    const { now } = agenda;
    const work = (): void => {
      store.release(lanes, this.actor.name, now);
    };
    database.call(work, () => undefined);
  }

  private recordLate(effect: EffectOf<'RecordLate'>, retriesLeft: number): void {
    const { agenda, database, store } = this.around;
    const work = (): true => {
      store.recordLate(effect.outcomes);
      return true;
    };
    database.call(work, (done) => {
      if (done !== null || retriesLeft === 0) return;
      agenda.after(lateRetryMs, () => {
        this.recordLate(effect, retriesLeft - 1);
      });
    });
  }
}
