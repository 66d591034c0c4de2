import type { Factor, HoldTarget, Operation } from '#intents/core';
import { memberFactor } from '#intents/core';
import type { CoordinationState, DeferredLanes } from '#intents';
import { deferredRange, deferredUntil, notHeldRanges } from '#intents';

import { HoldProbe } from './hold-probe.js';
import type { WantedHold } from './refusal-window.js';
import { keyOf } from './refusal-window.js';

/** Holds by a factor that are in force at once, over all programs, at most: the next one takes the whole operation. */
export const factorHoldsMax = 200;

/** What is held of a program's operations. */
interface Hold extends HoldTarget {
  /** Set by delivery: calls of it are tried. */
  readonly automatic: boolean;
}

/** A hold of ours on its way into the database, or in it. */
interface OwnHold extends WantedHold {
  readonly stage: 'wanted' | 'asked' | 'failed' | 'set';
  /** What was read earlier does not show it yet. Epoch ms. */
  readonly setAt: number;
}

/** A call that may be held, by what it has in common with others. */
export interface HeldCall {
  readonly operation: Operation;
  readonly factors: readonly Factor[];
  readonly laneId: number;
  readonly memberId: string;
  /** Only reads at the partner: what delivery holds may still be asked about, so that a doubt is settled. */
  readonly isRead?: boolean;
}

/** Of a call that is held. */
export interface Deferral {
  /** What it has in common with the others that are held; null: all calls of the operation are, or all that its member is owed. */
  readonly factor: Factor | null;
  /** Where it lies among what is held (`deferredRange`), epoch ms. */
  readonly until: number;
}

/** Whether it is of all that a program owes. */
const isWhole = ({ operation, factor = null }: CoordinationState['pauses'][number]): boolean =>
  operation === null && factor === null;

/** What may hold a call of this operation with these factors, the widest first. */
function targetsOf(operation: Operation, factors: readonly Factor[]): HoldTarget[] {
  const narrow = factors.flatMap((factor): HoldTarget[] => [
    { operation: null, factor },
    { operation, factor },
  ]);
  return [{ operation, factor: null }, ...narrow];
}

/** What of one program must not be begun: as the database says, and what this replica has just found broken. */
export class ProgramPauses {
  /** The whole program, by its own pause or by one of everything. */
  isProgramPaused = false;
  private holds = new Map<string, Hold>();
  private readonly own = new Map<string, OwnHold>();
  /** Of what is held by ourselves. */
  private readonly probes = new Map<string, HoldProbe>();
  private factorHolds = 0;

  constructor(private readonly program: string) {}

  /** Whether any of its calls may be held: asked before each call. */
  get holdsAny(): boolean {
    return this.holds.size > 0 || this.own.size > 0;
  }

  private isHeld(target: HoldTarget): boolean {
    const key = keyOf(target);
    return this.holds.has(key) || this.own.has(key);
  }

  /**
   * What holds a call that must not be made now, and where it lies until then; null: it may be made, as nothing holds it or as the
   * one call by which a hold is tried. While the whole program is paused nothing of it is claimed.
   */
  deferral({ operation, factors, laneId, memberId, isRead = false }: HeldCall, now: number): Deferral | null {
    if (this.isProgramPaused) return null;
    const member = { operation: null, factor: memberFactor(memberId) };
    if (this.isHeld(member)) return { factor: null, until: deferredUntil(member, now) };
    for (const target of targetsOf(operation, factors).filter((each) => this.isHeld(each))) {
      const probe = this.probes.get(keyOf(target));
      if (probe !== undefined && (isRead || probe.mayCall(laneId, now))) continue;
      return { factor: target.factor, until: deferredUntil(target, probe?.wasTried(laneId) === true ? null : now) };
    }
    return null;
  }

  /**
   * A call has been answered. @param result `neither`: it shows nothing
   * @returns whether it is held by ourselves, and which holds are to end
   */
  answered(
    { operation, factors, laneId }: HeldCall,
    result: 'served' | 'failed' | 'neither',
    now: number,
  ): { readonly isHeld: boolean; readonly ended: readonly HoldTarget[] } {
    if (this.probes.size === 0) return { isHeld: false, ended: [] };
    const targets = [null, ...factors].map((factor): HoldTarget => ({ operation, factor }));
    const probed = targets.flatMap((target) => {
      const probe = this.probes.get(keyOf(target));
      return probe === undefined ? [] : [{ target, isOver: probe.answered(laneId, result, now) }];
    });
    return { isHeld: probed.length > 0, ended: probed.flatMap(({ target, isOver }) => (isOver ? [target] : [])) };
  }

  /**
   * Takes over what the database says.
   * @param readAt when it was asked, at the latest
   * @returns what was held and is so no more
   */
  apply(pauses: CoordinationState['pauses'], readAt: number): HoldTarget[] {
    const before = this.targets();
    const ours = pauses.filter(({ program }) => program === null || program === this.program);
    this.isProgramPaused = ours.some(isWhole);
    this.factorHolds = pauses.filter(({ factor }) => (factor ?? null) !== null).length;
    this.holds = new Map();
    for (const { operation, factor = null, automatic } of ours.filter((pause) => !isWhole(pause))) {
      const key = keyOf({ operation, factor });
      // What a person holds of all programs is not to be tried, whatever we have found ourselves.
      const isOurs = automatic && this.holds.get(key)?.automatic !== false;
      this.holds.set(key, { operation, factor, automatic: isOurs });
    }
    for (const [key, { stage, setAt }] of this.own) {
      if (stage === 'set' && setAt < readAt && !this.holds.has(key)) this.own.delete(key);
    }
    this.reviewProbes(readAt);
    const ended = before.filter((target) => !this.isHeld(target));
    return ended.map(({ operation, factor }) => ({ operation, factor }));
  }

  /** Holds something by ourselves, at once; others follow when it is recorded. */
  want(wanted: WantedHold, now: number): void {
    const isRoom = wanted.factor === null || this.factorHolds < factorHoldsMax;
    const hold = isRoom ? wanted : { ...wanted, factor: null };
    const key = keyOf(hold);
    if (!this.own.has(key)) this.own.set(key, { ...hold, stage: 'wanted', setAt: 0 });
    this.reviewProbes(now);
  }

  /** What is to be recorded now. */
  takeWanted(): WantedHold[] {
    const wanted = [...this.own].filter(([, { stage }]) => stage === 'wanted');
    for (const [key, hold] of wanted) this.own.set(key, { ...hold, stage: 'asked' });
    return wanted.map(([, { operation, factor, reason }]) => ({ operation, factor, reason }));
  }

  wasSet(target: HoldTarget, at: number): void {
    const hold = this.own.get(keyOf(target));
    if (hold !== undefined) this.own.set(keyOf(target), { ...hold, stage: 'set', setAt: at });
  }

  couldNotBeSet(target: HoldTarget): void {
    const hold = this.own.get(keyOf(target));
    if (hold !== undefined) this.own.set(keyOf(target), { ...hold, stage: 'failed' });
  }

  /** The hold has ended, and the database knows it. */
  wasLifted(target: HoldTarget): void {
    for (const each of [this.holds, this.own, this.probes]) each.delete(keyOf(target));
  }

  /** What could not be recorded is to be tried again. */
  retry(): void {
    for (const [key, hold] of this.own) {
      if (hold.stage === 'failed') this.own.set(key, { ...hold, stage: 'wanted' });
    }
  }

  /** Where lanes lie that nothing holds any more. */
  resumable(): DeferredLanes[] {
    if (this.isProgramPaused) return [];
    return notHeldRanges(this.targets()).map((range) => ({
      program: this.program,
      ...range,
    }));
  }

  /** Where lanes lie of which one is to be tried now. */
  recallable(now: number): DeferredLanes[] {
    if (this.isProgramPaused || this.probes.size === 0) return [];
    return this.targets().flatMap((target) => {
      const which = this.probes.get(keyOf(target))?.recall(now) ?? null;
      if (which === null) return [];
      const { from, fresh } = deferredRange(target);
      return [{ program: this.program, ...(which === 'fresh' ? fresh : { from, to: from }) }];
    });
  }

  /** All that is held of the program's operations, each once. */
  private targets(): HoldTarget[] {
    return [...new Map<string, HoldTarget>([...this.holds, ...this.own]).values()];
  }

  private reviewProbes(now: number): void {
    const automatic = [...this.holds.values()].filter((hold) => hold.automatic);
    const byPeople = new Set([...this.holds].flatMap(([key, hold]) => (hold.automatic ? [] : [key])));
    const keys = new Set([...automatic, ...this.own.values()].map(keyOf).filter((key) => !byPeople.has(key)));
    for (const key of this.probes.keys()) if (!keys.has(key)) this.probes.delete(key);
    for (const key of keys) if (!this.probes.has(key)) this.probes.set(key, new HoldProbe(now));
  }
}
