import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '../chance.js';
import type { ChaosHouse } from '../installation/chaos-house.js';
import { allFaults } from './all-faults.js';
import type { Fault, Heal } from './fault.js';
import { killInDoubt, type KillInDoubt } from './kill-in-doubt.js';

export interface NemesisOptions {
  readonly house: ChaosHouse;
  readonly chance: Chance;
  readonly seconds: number;
  readonly only: readonly string[];
  readonly say: (text: string) => void;
}

export interface NemesisReport {
  /** How often each fault was begun. */
  readonly begun: Readonly<Record<string, number>>;
  /** Kinds of the programme that found no time. */
  readonly notReached: readonly string[];
  readonly killsInDoubt: readonly KillInDoubt[];
  /** Most faults that were on at once. */
  readonly togetherMax: number;
}

/** Shares of the run: first everything alone, then kills in doubt; the rest is mixed. */
const aloneShare = 0.34;
const doubtShare = 0.54;
const warmUpMsMax = 8_000;
/** A kill in doubt for so many seconds of the run. */
const secondsPerKillInDoubt = 10;
const restBetweenMs = 400;
const doubtPauseMs = [200, 800] as const;
const togetherMax = 3;

/** Breaks things, one after the other and several at once, until its time is over; then nothing is broken any more. */
export class Nemesis {
  private readonly faults: readonly Fault[];
  private readonly begun = new Map<string, number>();
  private readonly kills: KillInDoubt[] = [];
  private readonly endsAt: number;
  private readonly lengthMs: number;
  private on = 0;
  private mostOn = 0;

  constructor(private readonly options: NemesisOptions) {
    const { house, only, seconds } = options;
    const possible = allFaults.filter((fault) => fault.needsRealKafka !== true || house.broker.real !== null);
    this.faults = only.length === 0 ? possible : possible.filter(({ kind }) => only.includes(kind));
    this.lengthMs = seconds * 1_000;
    this.endsAt = performance.now() + this.lengthMs;
  }

  /** Resolves when its time is over and everything is mended. */
  async rage(): Promise<void> {
    const { only, say } = this.options;
    await delay(Math.min(warmUpMsMax, this.lengthMs / 10));
    if (only.length > 0) {
      while (this.leftMs() > 0) await this.eachAlone(this.leftMs());
      return;
    }
    say('each fault alone');
    await this.eachAlone(this.lengthMs * aloneShare);
    say(`daemons are killed in doubt`);
    await this.inDoubt(this.lengthMs * doubtShare);
    say('random mixes');
    await this.mixed();
  }

  report(): NemesisReport {
    return {
      begun: Object.fromEntries([...this.begun].toSorted()),
      notReached: this.faults.map(({ kind }) => kind).filter((kind) => !this.begun.has(kind)),
      killsInDoubt: this.kills,
      togetherMax: this.mostOn,
    };
  }

  private leftMs(): number {
    return this.endsAt - performance.now();
  }

  /** In a short run some find no time: which ones, the seed decides. Those that must come first do. */
  private async eachAlone(budgetMs: number): Promise<void> {
    const { chance } = this.options;
    const first = this.faults.filter(({ isAloneOnly }) => isAloneOnly);
    const others = chance.shuffled(this.faults.filter(({ isAloneOnly }) => !isAloneOnly));
    const until = performance.now() + budgetMs;
    const neededMs = this.faults.reduce((sum, { lastsMs: [min, max] }) => sum + (min + max) / 2 + restBetweenMs, 0);
    const pace = Math.min(1, budgetMs / neededMs);
    for (const fault of [...first, ...others]) {
      const lengthMs = Math.max(fault.lastsMs[0], chance.between(...fault.lastsMs) * pace);
      if (performance.now() + lengthMs > until) continue;
      await this.once(fault, lengthMs);
      await delay(restBetweenMs);
    }
  }

  private async inDoubt(budgetMs: number): Promise<void> {
    const { house, chance, seconds } = this.options;
    const wanted = Math.ceil(seconds / secondsPerKillInDoubt);
    const until = performance.now() + budgetMs;
    while (this.kills.length < wanted && performance.now() < until) {
      await this.killOnce();
      await delay(chance.between(...doubtPauseMs));
      if (!house.posts.some(({ slot }) => slot.isReady)) await delay(doubtPauseMs[0]);
    }
  }

  private async killOnce(): Promise<void> {
    const { house, chance, say } = this.options;
    const kill = await killInDoubt(house, chance);
    if (kill === null) return;
    this.kills.push(kill);
    if (this.kills.length % 10 === 0) say(`${this.kills.length} daemons killed in doubt`);
  }

  private async mixed(): Promise<void> {
    const { chance } = this.options;
    const lines = Array.from({ length: togetherMax }, (_, index) => this.line(chance.fork(`line ${index}`)));
    await Promise.all([...lines, this.doubtLine(chance.fork('doubt'))]);
  }

  private readonly taken = new Set<string>();

  /** One fault after the other; several lines run at once. */
  private async line(chance: Chance): Promise<void> {
    while (this.leftMs() > 0) {
      const possible = this.faults.filter(
        ({ seat, isAloneOnly, lastsMs }) => !isAloneOnly && !this.taken.has(seat) && lastsMs[0] < this.leftMs(),
      );
      if (possible.length > 0) {
        const fault = chance.pick(possible);
        this.taken.add(fault.seat);
        await this.once(fault, Math.min(this.leftMs(), chance.between(...fault.lastsMs)), chance);
        this.taken.delete(fault.seat);
      }
      await delay(Math.max(0, Math.min(this.leftMs(), chance.between(0, 4 * restBetweenMs))));
    }
  }

  private async doubtLine(chance: Chance): Promise<void> {
    while (this.leftMs() > 5_000) {
      await delay(chance.between(3_000, 9_000));
      if (this.taken.has('daemons')) continue;
      this.taken.add('daemons');
      await this.killOnce();
      this.taken.delete('daemons');
    }
  }

  private async once(fault: Fault, lengthMs: number, chance: Chance = this.options.chance): Promise<void> {
    this.begun.set(fault.kind, (this.begun.get(fault.kind) ?? 0) + 1);
    this.on += 1;
    this.mostOn = Math.max(this.mostOn, this.on);
    let heal: Heal | null = null;
    try {
      heal = await fault.begin(this.options.house, chance);
      await delay(lengthMs);
    } finally {
      await heal?.();
      this.on -= 1;
    }
  }
}
