import type { Program } from '#contracts';

import { DeliveryEngine } from '../engine/delivery-engine.js';
import type { CoordinationEffect, DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import { sentTooLate } from '../engine/messages.js';
import type { DeliverySettings } from '../settings.js';
import type { Agenda, Chance, Trouble } from './agenda.js';
import type { FakeDatabase } from './fake-database.js';
import type { FakePartner } from './fake-partner.js';
import type { FakeCoordination, FakeStore } from './fake-store.js';

/** What all actors of one world share. */
export interface ProcessContext {
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly trouble: Trouble;
  readonly store: FakeStore;
  readonly coordination: FakeCoordination;
  readonly database: FakeDatabase;
  readonly partner: FakePartner;
  readonly settings: DeliverySettings;
}

/** One process with its engine. */
export interface EngineProcess {
  readonly name: string;
  readonly isAlive: boolean;
  readonly engine: DeliveryEngine;
}

/** Told of what the engines do, in the order in which they do it. */
export interface Witness {
  turned(process: EngineProcess, events: readonly DeliveryEvent[], effects: readonly DeliveryEffect[]): void;
  /** A request was handed over; its answer, or the end of waiting for one, comes at `endsAt`. */
  sent(send: Extract<DeliveryEffect, { type: 'Send' }>, endsAt: number): void;
}

type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { type: T }>;
type OutsideEffect = EffectOf<'Claim' | 'FindBegun' | 'Flush' | 'Lookup' | 'Send' | 'Release' | 'RecordLate'>;

const lateRetryMs = 500;
const lateRetriesMax = 20;

/** The process around an engine, as those see it who carry out its effects. */
interface ExecutingProcess {
  readonly name: string;
  readonly isAlive: boolean;
  enqueue(event: DeliveryEvent): void;
  /** How long the process stands still before it does what is next. */
  standsStillMs(): number;
}

/** Carries out effects in virtual time, as `DeliveryLoop` does. What has left the process outlives it. */
class EffectExecutor {
  constructor(
    private readonly actor: ExecutingProcess,
    private readonly around: ProcessContext,
    private readonly witness: Witness,
  ) {}

  run(effect: OutsideEffect): void {
    switch (effect.type) {
      case 'Claim':
        this.claim(effect);
        return;
      case 'FindBegun':
        this.findBegun(effect);
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

  private claim(effect: EffectOf<'Claim'>): void {
    const { agenda, database, store } = this.around;
    const { program, limit } = effect;
    if (!effect.looksFirst) {
      this.claimDue(effect);
      return;
    }
    const looked = (quietUntil: number | null): void => {
      if (quietUntil === null) this.actor.enqueue({ type: 'ClaimFailed', program });
      else if (quietUntil <= agenda.now) this.claimDue(effect);
      else this.actor.enqueue({ type: 'Claimed', program, asked: limit, lanes: [], quietUntil });
    };
    database.call(() => store.nextDueAt(program), looked);
  }

  private claimDue({ program, limit, leaseUntil, begins }: EffectOf<'Claim'>): void {
    const { agenda, database, store } = this.around;
    const request = { program, limit, leaseUntil, begins: begins.max, now: agenda.now, owner: this.actor.name };
    const failed = (): void => {
      this.actor.enqueue({ type: 'ClaimFailed', program });
    };
    const opened = (lanes: readonly ReturnType<FakeStore['open']>[] | null): void => {
      const claimed = { type: 'Claimed', program, asked: limit } as const;
      const quiet = (quietUntil: number | null): void => {
        if (quietUntil === null) failed();
        else this.actor.enqueue({ ...claimed, lanes: [], quietUntil });
      };
      if (lanes === null) failed();
      else if (lanes.length > 0) this.actor.enqueue({ ...claimed, lanes });
      else database.call(() => store.nextDueAt(program), quiet);
    };
    database.call(
      () => store.claim(request),
      (rows) => {
        if (rows === null) failed();
        else database.call(() => rows.map((row) => store.open(row)), opened);
      },
    );
  }

  private findBegun({ program, leaseUntil }: EffectOf<'FindBegun'>): void {
    const { database, store } = this.around;
    const work = (): ReturnType<FakeStore['open']>[] =>
      store.findBegun({ program, leaseUntil, owner: this.actor.name }).map((row) => store.open(row));
    database.call(work, (lanes) => {
      if (lanes === null) this.actor.enqueue({ type: 'ClaimFailed', program });
      else this.actor.enqueue({ type: 'Claimed', program, asked: Math.max(1, lanes.length), lanes });
    });
  }

  private flush({ flushId, steps, isRetry }: EffectOf<'Flush'>): void {
    const { agenda, trouble, database } = this.around;
    if (steps.some(({ laneId }) => laneId === trouble.poisonedLane)) {
      agenda.after(1, () => {
        this.actor.enqueue({ type: 'FlushFailed', flushId, isAway: false });
      });
      return;
    }
    database.recordSteps({ key: `${this.actor.name}:${flushId}`, steps, isRetry }, (results) => {
      if (results === null) this.actor.enqueue({ type: 'FlushFailed', flushId, isAway: true });
      else this.actor.enqueue({ type: 'Flushed', flushId, results });
    });
  }

  private lookup({ laneId, epoch, command, confirmsAbsence }: EffectOf<'Lookup'>): void {
    const { partner } = this.around;
    partner.lookup(command, (report) => {
      const listed = confirmsAbsence && report.kind === 'absent' ? partner.count(command) : null;
      this.actor.enqueue({ type: 'LookupAnswered', laneId, epoch, report, listed });
    });
  }

  private handOver(effect: EffectOf<'Send'>): void {
    const { agenda, partner } = this.around;
    const { laneId, epoch, command } = effect;
    if (agenda.now > effect.sendBy) {
      this.actor.enqueue({ type: 'AttemptAnswered', laneId, epoch, report: sentTooLate });
      return;
    }
    const answersAfterMs = partner.send(command, (report) => {
      this.actor.enqueue({ type: 'AttemptAnswered', laneId, epoch, report });
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

/** Carries out what keeps the replicas in step in virtual time, as `DeliveryLoop` does. */
class CoordinationExecutor {
  constructor(
    private readonly actor: ExecutingProcess,
    private readonly around: ProcessContext,
  ) {}

  run(effect: CoordinationEffect): void {
    switch (effect.type) {
      case 'Coordinate':
        this.report(effect);
        return;
      case 'SetPause':
        this.setPause(effect);
        return;
      case 'LiftHold':
        this.liftHold(effect);
        return;
      case 'Resume':
      case 'Recall':
        this.makeDue(effect);
    }
  }

  private report({ report, at, looks }: EffectOf<'Coordinate'>): void {
    const { agenda, coordination, database, store } = this.around;
    const replicaId = this.actor.name;
    const { now } = agenda;
    database.call(
      () => ({
        state: coordination.report({ replicaId, ...report }, now),
        quietUntil: new Map(looks.map((program) => [program, store.nextDueAt(program)])),
      }),
      (answer) => {
        if (answer === null) this.actor.enqueue({ type: 'CoordinationFailed' });
        else this.actor.enqueue({ type: 'Coordinated', replicaId, at, ...answer });
      },
    );
  }

  private setPause({ program, operation, factor }: EffectOf<'SetPause'>): void {
    const { agenda, coordination, database } = this.around;
    const { now } = agenda;
    const work = (): true => {
      coordination.set({ program, operation, factor, automatic: true }, now);
      return true;
    };
    database.call(work, (done) => {
      this.actor.enqueue({ type: 'PauseSet', program, operation, factor, isSet: done !== null });
    });
  }

  private liftHold({ program, operation, factor }: EffectOf<'LiftHold'>): void {
    const { coordination, database } = this.around;
    const work = (): true => {
      coordination.lift({ program, operation, factor });
      return true;
    };
    database.call(work, (done) => {
      if (done !== null) this.actor.enqueue({ type: 'HoldLifted', program, operation, factor });
    });
  }

  private makeDue({ type, targets }: EffectOf<'Resume'> | EffectOf<'Recall'>): void {
    const { agenda, coordination, database } = this.around;
    const { now } = agenda;
    database.call(
      () => coordination.makeDue(targets, now, type === 'Recall' ? 1 : Infinity),
      (count) => {
        this.actor.enqueue({ type: type === 'Recall' ? 'Recalled' : 'Resumed', count: count ?? 0 });
      },
    );
  }
}

/** One process: an engine, its inbox and its timer. Does what `DeliveryLoop` does, in virtual time. */
export class EngineActor {
  readonly engine: DeliveryEngine;
  isAlive = true;
  isDrained = false;
  private readonly effects: EffectExecutor;
  private readonly coordination: CoordinationExecutor;
  private inbox: DeliveryEvent[] = [];
  private cancelTimer: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly around: ProcessContext,
    private readonly witness: Witness,
  ) {
    this.engine = new DeliveryEngine(around.settings, around.chance);
    this.effects = new EffectExecutor(this, around, witness);
    this.coordination = new CoordinationExecutor(this, around);
  }

  start(programs: Readonly<Record<string, Program>>): void {
    this.coordinate();
    this.usePrograms(programs);
  }

  /** Takes over the programs, at the start or when the file was read again. */
  usePrograms(programs: Readonly<Record<string, Program>>): void {
    this.engine.setPrograms(programs);
    this.enqueue({ type: 'Woken', isWorkLikely: true });
  }

  /** Memory is gone; what has left the process takes its effect all the same. */
  die(): void {
    this.isAlive = false;
    this.cancelTimer();
  }

  enqueue(event: DeliveryEvent): void {
    if (!this.isAlive) return;
    this.inbox.push(event);
    if (this.inbox.length > 1) return;
    this.around.agenda.after(this.standsStillMs(), () => {
      this.turn();
    });
  }

  standsStillMs(): number {
    const { chance, trouble } = this.around;
    if (!chance.happens(trouble.stall)) return chance.unit();
    return chance.happens(0.3) ? chance.between(4_000, 20_000) : chance.between(100, 4_000);
  }

  private turn(): void {
    if (!this.isAlive) return;
    const events = this.inbox;
    this.inbox = [];
    const { now } = this.around.agenda;
    for (const event of events.slice(0, -1)) this.engine.absorb(event, now);
    const last = events.at(-1);
    if (last === undefined) return;
    const effects = this.engine.step(last, now);
    this.witness.turned(this, events, effects);
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: DeliveryEffect): void {
    switch (effect.type) {
      case 'Observe':
        return;
      case 'SetTimer':
        this.setTimer(effect.at);
        return;
      case 'Drained':
        // The process ends: what has left it takes its effect, nothing is answered any more.
        this.isDrained = true;
        this.around.coordination.leave(this.name);
        this.die();
        return;
      case 'Claim':
      case 'FindBegun':
      case 'Flush':
      case 'Lookup':
      case 'Send':
      case 'Release':
      case 'RecordLate':
        this.effects.run(effect);
        return;
      case 'Coordinate':
      case 'SetPause':
      case 'LiftHold':
      case 'Resume':
      case 'Recall':
        this.coordination.run(effect);
    }
  }

  private coordinate(): void {
    this.enqueue({ type: 'CoordinationDue' });
    this.around.agenda.after(this.engine.reportsAfterMs, () => {
      if (this.isAlive) this.coordinate();
    });
  }

  private setTimer(at: number): void {
    const { agenda } = this.around;
    this.cancelTimer();
    this.cancelTimer = agenda.after(at - agenda.now, () => {
      this.enqueue({ type: 'Woken', isWorkLikely: false });
    });
  }
}
