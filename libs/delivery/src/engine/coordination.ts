import { isDeepStrictEqual } from 'node:util';

import { OPERATIONS } from '#domain';
import type { CoordinationState, KnownPrograms } from '#intents';
import { recallLanesMax, replicaTtlMs } from '#intents';
import type { Random } from '#platform';

import { sharePlace } from '../gate/limit-share.js';
import type { CoordinationEffect } from './coordination-effect.js';
import type { CoordinationEvent } from './coordination-event.js';
import type { Desks } from './desks.js';
import type { ProgramDesk } from './program-desk.js';

/** A replica without lanes of a program shares its limits for so long: coming and going costs more than waiting. */
const atWorkForMs = 5_000;
/** Lanes put off in the very moment in which their pause was lifted are found within this time. */
const sweepMs = 5_000;

interface Heard {
  readonly replicaId: string;
  readonly at: number;
  readonly state: CoordinationState;
  /** What we had said of ourselves. */
  readonly reported: KnownPrograms;
  /** What the others could know of us when they read: see `couldRead`. */
  readonly known: KnownPrograms;
}

/**
 * What others that reported in the same moment can have read of us: a report neither sees what is written at the same time
 * nor is seen by it, so only what an earlier one has said counts, as long as that one is no older than what they believe.
 */
function couldRead(before: Heard | null, reported: KnownPrograms, at: number): KnownPrograms {
  if (before === null || at >= before.at + replicaTtlMs) return {};
  const both = Object.entries(reported).filter(([program]) => before.reported[program] !== undefined);
  return Object.fromEntries(
    both.map(([program, since]) => [program, before.reported[program] === null ? null : since]),
  );
}

/**
 * Keeps this replica in step with the others: says what it works on and what the partner told it, learns the pauses and
 * its share of each limit, and stops beginning when it has not been heard for too long. A second's worth of agreement
 * is all that is shared; no request waits for it.
 */
export class Coordination {
  private isOn = false;
  private isDue = false;
  private asked: KnownPrograms | null = null;
  private heard: Heard | null = null;
  private startedAt: number | null = null;
  private pausesKnown = '[]';
  private sweepAt = 0;
  private isRecalling = false;
  private readonly toldNews = new Map<string, string>();

  constructor(
    private readonly desks: Desks,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  absorb(event: CoordinationEvent, now: number): void {
    switch (event.type) {
      case 'CoordinationDue':
        this.isOn = true;
        this.isDue = true;
        for (const desk of this.desks.all) desk.pauses.retry();
        if (this.heard === null) this.agreeAll(now);
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
      case 'Recalled':
        this.onRecalled(event.count, now);
    }
  }

  /** The programs file was read again: what is new must know what was agreed on. */
  introduce(): void {
    const { heard } = this;
    if (heard !== null) for (const desk of this.desks.all) desk.pauses.apply(heard.state.pauses, heard.at);
    if (!this.isOn) return;
    this.isDue = true;
    this.agreeAll(heard?.at ?? 0);
  }

  effects(now: number, isLeaving: boolean): CoordinationEffect[] {
    if (!this.isOn) return [];
    for (const desk of this.desks.all) if (desk.noteWork(now, atWorkForMs)) this.isDue = true;
    return [...this.wantedPauses(), ...this.report(now, isLeaving), ...this.recall(now)];
  }

  private wantedPauses(): CoordinationEffect[] {
    return [...this.desks.all].flatMap(({ name, pauses }) =>
      pauses.takeWanted().map((pause) => ({ type: 'SetPause', program: name, ...pause }) as const),
    );
  }

  private report(now: number, isLeaving: boolean): CoordinationEffect[] {
    const news = [...this.desks.all].flatMap((desk) => desk.gate.news(desk.name, now) ?? []);
    const isNew = news.some((gate) => this.toldNews.get(gate.program) !== JSON.stringify(gate));
    if (!(this.isDue || isNew) || this.asked !== null) return [];
    this.isDue = false;
    this.startedAt ??= now;
    for (const gate of news) this.toldNews.set(gate.program, JSON.stringify(gate));
    this.asked = this.desks.known(isLeaving);
    return [{ type: 'Coordinate', report: { startedAt: this.startedAt, programs: this.asked, gates: news }, at: now }];
  }

  private onCoordinated(
    { replicaId, at, state }: Extract<CoordinationEvent, { type: 'Coordinated' }>,
    now: number,
  ): void {
    const reported = this.asked ?? {};
    const known = couldRead(this.heard, reported, at);
    this.heard = { replicaId, at, state, reported, known };
    this.asked = null;
    // What is new to the others is said twice, at once: the second answer shows who said the same meanwhile.
    if (!isDeepStrictEqual(known, reported)) this.isDue = true;
    for (const desk of this.desks.all) {
      for (const operation of desk.pauses.apply(state.pauses, at)) desk.refusals.forget(operation);
    }
    const pauses = JSON.stringify(state.pauses);
    if (pauses !== this.pausesKnown) this.sweepAt = now;
    this.pausesKnown = pauses;
    this.agreeAll(now);
  }

  private agreeAll(now: number): void {
    for (const desk of this.desks.all) this.agree(desk, now);
  }

  private agree(desk: ProgramDesk, now: number): void {
    const { heard } = this;
    // Others must know that we know the program: two that learn of it together would both take all of it.
    const since = heard?.known[desk.name];
    if (heard === null || since === undefined) {
      desk.gate.agree({ place: { rank: 0, count: 1 }, validUntil: -Infinity, isPaused: false, shared: null }, now);
      return;
    }
    const { replicaId, at, state } = heard;
    const self = { replicaId, since };
    const agreement = {
      place: sharePlace(desk.name, self, state.others),
      validUntil: at + replicaTtlMs,
      isPaused: desk.pauses.isProgramPaused,
      shared: state.gates.find(({ program }) => program === desk.name) ?? null,
    };
    desk.gate.agree(agreement, now);
  }

  private onPauseSet(event: Extract<CoordinationEvent, { type: 'PauseSet' }>, now: number): void {
    const pauses = this.desks.get(event.program)?.pauses;
    if (event.isSet) pauses?.wasSet(event.operation, now);
    else pauses?.couldNotBeSet(event.operation);
  }

  private recall(now: number): CoordinationEffect[] {
    if (this.heard === null || this.isRecalling || now < this.sweepAt) return [];
    const targets = [...this.desks.all]
      .filter(({ isRetired }) => !isRetired)
      .flatMap(({ name, pauses }) =>
        OPERATIONS.filter((operation) => !pauses.isPaused(operation)).map((operation) => ({
          program: name,
          operation,
        })),
      );
    this.sweepAt = now + sweepMs * (0.5 + this.random.unit());
    if (targets.length === 0) return [];
    this.isRecalling = true;
    return [{ type: 'Recall', targets }];
  }

  private onRecalled(count: number, now: number): void {
    this.isRecalling = false;
    if (count >= recallLanesMax) this.sweepAt = now;
    if (count > 0) for (const desk of this.desks.all) desk.wake(now);
  }
}
