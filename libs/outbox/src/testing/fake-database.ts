import type { LaneStep, StepResult } from '#intents';

import type { Agenda, Chance, Trouble } from './agenda.js';
import type { FakeStore } from './fake-store.js';

type Fate = 'fine' | 'fails-before' | 'fails-after' | 'commits-late';

/** A group commit under way, possibly still after its caller has given it up. */
interface Flight {
  commit: () => void;
}

/** Calls take their time, fail before or after their commit, or commit after their caller was told of a failure. */
export class FakeDatabase {
  private readonly flights = new Map<string, Flight>();

  constructor(
    private readonly store: FakeStore,
    private readonly agenda: Agenda,
    private readonly means: { readonly chance: Chance; readonly trouble: Trouble },
  ) {}

  /** One transaction. `done` gets null when the caller must take it for failed. */
  call<T>(work: () => T, done: (value: T | null) => void): void {
    this.run(work, done, 'never-late');
  }

  /**
   * `recordSteps`. A repeated call waits for the row locks of one that is still running: that commits first.
   * @param key one per group commit
   */
  recordSteps(
    request: { readonly key: string; readonly steps: readonly LaneStep[]; readonly isRetry: boolean },
    done: (results: readonly StepResult[] | null) => void,
  ): void {
    const { steps, isRetry } = request;
    if (!isRetry) {
      this.execute({ ...request, found: new Map() }, done);
      return;
    }
    this.call(
      () => this.store.findOwn(steps),
      (found) => {
        if (found === null) done(null);
        else this.execute({ ...request, found }, done);
      },
    );
  }

  private execute(
    request: {
      readonly key: string;
      readonly steps: readonly LaneStep[];
      readonly isRetry: boolean;
      readonly found: Map<LaneStep, StepResult>;
    },
    done: (results: readonly StepResult[] | null) => void,
  ): void {
    const { key, steps, isRetry, found } = request;
    const open = steps.filter((step) => !found.has(step));
    const { now } = this.agenda;
    const work = (): StepResult[] => {
      this.flights.get(key)?.commit();
      return this.store.record(open, now);
    };
    const finish = (recorded: readonly StepResult[] | null): void => {
      if (recorded === null) {
        done(null);
        return;
      }
      for (const [index, step] of open.entries()) {
        const result = recorded[index];
        if (result !== undefined) found.set(step, result);
      }
      if (isRetry) this.findFenced({ steps, found }, done);
      else done(resultsOf(steps, found));
    };
    this.run(work, finish, key);
  }

  private findFenced(
    { steps, found }: { readonly steps: readonly LaneStep[]; readonly found: Map<LaneStep, StepResult> },
    done: (results: readonly StepResult[] | null) => void,
  ): void {
    const fenced = steps.filter((step) => isFenced(found.get(step)));
    if (fenced.length === 0) {
      done(resultsOf(steps, found));
      return;
    }
    this.call(
      () => this.store.findOwn(fenced),
      (own) => {
        if (own !== null) for (const [step, result] of own) found.set(step, result);
        done(own === null ? null : resultsOf(steps, found));
      },
    );
  }

  private run<T>(work: () => T, done: (value: T | null) => void, key: string): void {
    const fate = this.fate(key !== 'never-late');
    const { agenda } = this;
    const toCommitMs = this.delay();
    agenda.after(toCommitMs, () => {
      if (fate === 'commits-late') this.commitLate(work, key);
      if (fate === 'fails-before' || fate === 'commits-late') {
        done(null);
        return;
      }
      const value = work();
      agenda.after(this.delay(), () => {
        done(fate === 'fails-after' ? null : value);
      });
    });
  }

  private commitLate(work: () => unknown, key: string): void {
    const before = this.flights.get(key);
    const flight: Flight = {
      commit: () => {
        if (this.flights.get(key) !== flight) return;
        if (before === undefined) this.flights.delete(key);
        else this.flights.set(key, before);
        work();
      },
    };
    this.flights.set(key, flight);
    this.agenda.after(this.means.chance.between(1, 500), flight.commit);
  }

  private fate(mayBeLate: boolean): Fate {
    const { chance, trouble } = this.means;
    if (trouble.isDatabaseAway && chance.happens(0.9)) return 'fails-before';
    if (!trouble.isDatabaseAway && !chance.happens(trouble.database)) return 'fine';
    const fates: Fate[] = ['fails-before', 'fails-before', 'fails-after'];
    return chance.pick(mayBeLate ? [...fates, 'commits-late', 'commits-late'] : fates) ?? 'fails-before';
  }

  private delay(): number {
    const { chance, trouble } = this.means;
    return chance.happens(trouble.database / 5) ? chance.between(1, 3_000) : chance.between(1, 8) / 4;
  }
}

function isFenced(result: StepResult | undefined): boolean {
  return result === undefined || (!result.completed && !result.begun);
}

function resultsOf(steps: readonly LaneStep[], found: ReadonlyMap<LaneStep, StepResult>): StepResult[] {
  return steps.map(
    (step) => found.get(step) ?? { laneId: step.laneId, epoch: step.epoch, completed: false, begun: false, dueAt: 0 },
  );
}
