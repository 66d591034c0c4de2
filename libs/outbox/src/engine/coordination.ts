import { isDeepStrictEqual } from 'node:util';

import type { CoordinationState, KnownPrograms } from '#intents';
import { resumeLanesMax, replicaTtlMs } from '#intents';
import type { Random } from '#platform';

import { sharePlace } from '../gate/limit-share.js';
import type { DeliverySettings } from '../settings.js';
import type { CoordinationEffect, CoordinationEvent } from './messages.js';
import { idleSlowdown } from './scheduled-program.js';
import type { ScheduledProgram } from './scheduled-program.js';

/** A replica without lanes of a program shares its limits for so long: coming and going costs more than waiting. */
const atWorkForMs = 5_000;
/** Lanes deferred in the very moment in which their pause was lifted are found within this time. */
const sweepMs = 5_000;

/** An answer of the database, with what it was about. */
interface Agreement {
  readonly replicaId: string;
  readonly at: number;
  readonly state: CoordinationState;
  /** The programs that our own report named. */
  readonly reported: KnownPrograms;
  /** What the others could know of us when they read: see `couldRead`. */
  readonly known: KnownPrograms;
}

/**
 * What replicas that reported at the same moment can have read of us. Concurrent reports do not see each other, so only
 * an earlier report of ours counts, as long as it is not older than what they believe.
 */
function couldRead(before: Agreement | null, reported: KnownPrograms, at: number): KnownPrograms {
  if (before === null || at >= before.at + replicaTtlMs) return {};
  const both = Object.entries(reported).filter(([program]) => before.reported[program] !== undefined);
  return Object.fromEntries(
    both.map(([program, since]) => [program, before.reported[program] === null ? null : since]),
  );
}

/**
 * Keeps this replica in step with the others. It reports its programs and the partner's cooldowns, learns the pauses
 * and its share of each limit, and begins nothing new when its reports have failed for too long. Replicas agree about
 * once a second; no request waits for that.
 */
export class Coordination {
  private isOn = false;
  private isDue = false;
  private asked: KnownPrograms | null = null;
  private last: Agreement | null = null;
  private startedAt: number | null = null;
  private pausesKnown = '[]';
  private sweepAt = 0;
  private isResuming = false;
  private readonly reportedNews = new Map<string, string>();

  constructor(
    private readonly programs: ReadonlyMap<string, ScheduledProgram>,
    private readonly random: Pick<Random, 'unit'>,
    private readonly settings: DeliverySettings,
  ) {}

  absorb(event: CoordinationEvent, now: number): void {
    switch (event.type) {
      case 'CoordinationDue':
        this.isOn = true;
        this.isDue = true;
        for (const program of this.programs.values()) program.pauses.retry();
        if (this.last === null) this.agreeAll(now);
        return;
      case 'Coordinated':
        this.onCoordinated(event, now);
        return;
      case 'CoordinationFailed':
        this.asked = null;
        return;
      case 'PauseSet':
        this.onPauseSet(event, now);
        return;
      case 'HoldLifted':
        this.onHoldLifted(event, now);
        return;
      case 'Recalled':
        if (event.count > 0) for (const program of this.programs.values()) program.wake(now);
        return;
      case 'Resumed':
        this.onResumed(event.count, now);
    }
  }

  /** The programs file was read again: new programs take over the last agreement. */
  introduce(): void {
    const { last } = this;
    if (last !== null) for (const program of this.programs.values()) program.pauses.apply(last.state.pauses, last.at);
    if (!this.isOn) return;
    this.isDue = true;
    this.agreeAll(last?.at ?? 0);
  }

  effects(now: number, isLeaving: boolean): CoordinationEffect[] {
    if (!this.isOn) return [];
    for (const program of this.programs.values()) if (program.noteWork(now, atWorkForMs)) this.isDue = true;
    return [...this.wantedPauses(), ...this.report(now, isLeaving), ...this.resume(now), ...this.recall(now)];
  }

  private wantedPauses(): CoordinationEffect[] {
    return [...this.programs.values()].flatMap(({ name, pauses }) =>
      pauses.takeWanted().map((pause) => ({ type: 'SetPause', program: name, ...pause }) as const),
    );
  }

  private report(now: number, isLeaving: boolean): CoordinationEffect[] {
    const news = [...this.programs.values()].flatMap((program) => program.gate.news(program.name, now) ?? []);
    const isNew = news.some((gate) => this.reportedNews.get(gate.program) !== JSON.stringify(gate));
    if (!(this.isDue || isNew) || this.asked !== null) return [];
    this.isDue = false;
    this.startedAt ??= now;
    for (const gate of news) this.reportedNews.set(gate.program, JSON.stringify(gate));
    this.asked = this.known(isLeaving);
    const report = { startedAt: this.startedAt, programs: this.asked, gates: news };
    const looks = isLeaving ? [] : this.planLooks(now);
    return [{ type: 'Coordinate', report, at: now, looks }];
  }

  /** What other replicas must know to share limits with this one. @param isLeaving it comes to work on nothing more */
  private known(isLeaving: boolean): KnownPrograms {
    const reported = [...this.programs.values()].filter(
      ({ atWorkSince, isRetired }) => atWorkSince !== null || !(isRetired || isLeaving),
    );
    return Object.fromEntries(reported.map(({ name, atWorkSince }) => [name, atWorkSince]));
  }

  /** The programs to look at on the way of a report, because they would look for themselves before the next one. */
  private planLooks(now: number): string[] {
    const until = now + this.settings.coordinationIdleMs;
    return [...this.programs.values()].filter((program) => program.wantsLook(now, until)).map(({ name }) => name);
  }

  private onCoordinated(
    { replicaId, at, state, quietUntil }: Extract<CoordinationEvent, { type: 'Coordinated' }>,
    now: number,
  ): void {
    const reported = this.asked ?? {};
    const known = couldRead(this.last, reported, at);
    this.last = { replicaId, at, state, reported, known };
    this.asked = null;
    // News is reported twice at once: the second answer shows which replicas reported the same program meanwhile.
    if (!isDeepStrictEqual(known, reported)) this.isDue = true;
    for (const program of this.programs.values()) {
      for (const target of program.pauses.apply(state.pauses, at)) program.refusals.forget(target);
    }
    const pauses = JSON.stringify(state.pauses);
    if (pauses !== this.pausesKnown) this.sweepAt = now;
    this.pausesKnown = pauses;
    const restMs = this.settings.idlePollMsMax * idleSlowdown(this.programs.size);
    for (const [program, until] of quietUntil ?? []) this.programs.get(program)?.looked(now, until, restMs);
    this.agreeAll(now);
  }

  private agreeAll(now: number): void {
    for (const program of this.programs.values()) this.agree(program, now);
  }

  private agree(program: ScheduledProgram, now: number): void {
    const { last } = this;
    // Others must know that we know the program: two that learn of it together would both take all of it.
    const since = last?.known[program.name];
    if (last === null || since === undefined) {
      program.gate.agree({ place: { rank: 0, count: 1 }, validUntil: -Infinity, isPaused: false, shared: null }, now);
      return;
    }
    const { replicaId, at, state } = last;
    const self = { replicaId, since };
    const agreement = {
      place: sharePlace(program.name, self, state.others),
      validUntil: at + replicaTtlMs,
      isPaused: program.pauses.isProgramPaused,
      shared: state.gates.find((gate) => gate.program === program.name) ?? null,
    };
    program.gate.agree(agreement, now);
  }

  private onPauseSet(event: Extract<CoordinationEvent, { type: 'PauseSet' }>, now: number): void {
    const pauses = this.programs.get(event.program)?.pauses;
    if (event.isSet) pauses?.wasSet(event, now);
    else pauses?.couldNotBeSet(event);
  }

  private onHoldLifted(event: Extract<CoordinationEvent, { type: 'HoldLifted' }>, now: number): void {
    const program = this.programs.get(event.program);
    program?.pauses.wasLifted(event);
    program?.refusals.forget(event);
    this.sweepAt = now;
  }

  private resume(now: number): CoordinationEffect[] {
    if (this.last === null || this.isResuming || now < this.sweepAt) return [];
    const targets = [...this.programs.values()]
      .filter(({ isRetired }) => !isRetired)
      .flatMap(({ pauses }) => pauses.resumable());
    this.sweepAt = now + sweepMs * (0.5 + this.random.unit());
    if (targets.length === 0) return [];
    this.isResuming = true;
    return [{ type: 'Resume', targets }];
  }

  /** A call of what is held is tried now and then, where the partner takes calls at all. */
  private recall(now: number): CoordinationEffect[] {
    if (this.last === null) return [];
    const targets = [...this.programs.values()].flatMap(({ isRetired, gate, pauses }) =>
      isRetired || gate.isShut || gate.isClosed(now) ? [] : pauses.recallable(now),
    );
    return targets.length === 0 ? [] : [{ type: 'Recall', targets }];
  }

  private onResumed(count: number, now: number): void {
    this.isResuming = false;
    if (count >= resumeLanesMax) this.sweepAt = now;
    if (count > 0) for (const program of this.programs.values()) program.wake(now);
  }
}
