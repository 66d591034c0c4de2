import type { Program } from '#contracts';
import type { KnownPrograms } from '#intents';

import type { DeliverySettings } from '../settings.js';
import { ProgramDesk } from './program-desk.js';

/** A claim to be made. */
interface PlannedClaim {
  readonly program: string;
  readonly limit: number;
}

/** All programs' desks, in the order in which they may claim. */
export class Desks {
  private readonly byName = new Map<string, ProgramDesk>();

  constructor(private readonly settings: DeliverySettings) {}

  /** Takes over the programs of a (re-)read programs file. One that has left it stays until nothing of it is open. */
  replace(programs: Readonly<Record<string, Program>>): void {
    for (const [name, program] of Object.entries(programs)) {
      const desk = this.byName.get(name);
      if (desk === undefined) this.byName.set(name, new ProgramDesk(name, program, this.settings));
      else desk.change(program);
    }
    for (const [name, desk] of this.byName) if (!Object.hasOwn(programs, name)) desk.isRetired = true;
    this.dismiss();
  }

  get all(): Iterable<ProgramDesk> {
    return this.byName.values();
  }

  get size(): number {
    return this.byName.size;
  }

  get(name: string): ProgramDesk | undefined {
    return this.byName.get(name);
  }

  get areClaiming(): boolean {
    return [...this.all].some((desk) => desk.isClaiming);
  }

  sum(of: (desk: ProgramDesk) => number): number {
    return [...this.all].reduce((total, desk) => total + of(desk), 0);
  }

  /** What other replicas must know to share limits with this one. @param isLeaving it comes to work on nothing more */
  known(isLeaving: boolean): KnownPrograms {
    const told = [...this.all].filter(
      ({ atWorkSince, isRetired }) => atWorkSince !== null || !(isRetired || isLeaving),
    );
    return Object.fromEntries(told.map(({ name, atWorkSince }) => [name, atWorkSince]));
  }

  /** Lets go of retired desks of which nothing is open any more. */
  dismiss(): void {
    for (const [name, desk] of this.byName) {
      if (desk.isRetired && desk.held === 0 && !desk.isClaiming) this.byName.delete(name);
    }
  }

  /** Who may claim how much now. Lanes asked for count as held; who has claimed comes last the next time. */
  planClaims(now: number): PlannedClaim[] {
    const { lanesHeldMax } = this.settings;
    const share = Math.max(1, Math.floor(lanesHeldMax / Math.max(1, this.byName.size)));
    let free = lanesHeldMax - this.sum((desk) => desk.held + desk.asked);
    const claims: PlannedClaim[] = [];
    for (const desk of [...this.all]) {
      const limit = desk.claimSize(now, { free, share });
      if (limit < 1) continue;
      desk.asked = Math.floor(limit);
      free -= desk.asked;
      claims.push({ program: desk.name, limit: desk.asked });
      this.byName.delete(desk.name);
      this.byName.set(desk.name, desk);
    }
    return claims;
  }
}
