import type { DeskTurn } from './desk-queues.js';
import type { LaneBook } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import type { ProgramDesk } from './program-desk.js';

/** Gives waiting lanes their turn, as far as the gate allows, and lets go of those that wait in vain. */
export class Pump {
  constructor(
    private readonly book: LaneBook,
    private readonly lanes: LaneSteps,
  ) {}

  /** Nothing new is to be begun: whoever waits goes back. */
  giveBackAll(desk: ProgramDesk): void {
    for (const turns of desk.queues.all) {
      for (let work = turns.take(); work !== undefined; work = turns.take()) this.book.giveBack(work.lane);
    }
  }

  takeTurns(desk: ProgramDesk, now: number): void {
    this.giveBackStale(desk, now);
    for (let turn = desk.nextTurn(now); turn !== null; turn = desk.nextTurn(now)) this.take(desk, turn, now);
  }

  private take(desk: ProgramDesk, { kind, work }: DeskTurn, now: number): void {
    switch (kind) {
      case 'request':
        this.lanes.begin({ desk, work }, now);
        return;
      case 'lookup':
        this.lanes.lookup({ desk, work }, now);
        return;
      case 'probe':
        this.lanes.probe({ desk, work });
    }
  }

  /** A lane that has waited through half of its lease goes back: another replica may have room for it. */
  private giveBackStale(desk: ProgramDesk, now: number): void {
    for (const turns of desk.queues.all) {
      for (let work = turns.peek(); work !== undefined; work = turns.peek()) {
        if (now < desk.staleAt(turns)) break;
        turns.take();
        this.book.giveBack(work.lane);
      }
    }
  }
}
