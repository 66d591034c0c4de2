import { machineMs } from '../child.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { RoundFigures, RoundInput } from './contestant.js';
import { Stopwatch } from './contestant.js';

const lookIntervalMs = 500;

/** When a peer stops: it has done its work, its time is over, or, as one of several, nobody has anything left. */
export class PeerFinish {
  readonly reached: Promise<unknown>;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly wanted: number;
  private watch: Stopwatch | null = null;
  private done = 0;
  private over = false;
  private from = NaN;
  private to = NaN;

  /** @param leftSql tells in a column `left` whether jobs are left; null: nobody shares the work */
  constructor({ members, intentsPerMember, until, secondsMax, databaseUrl }: RoundInput, leftSql: string | null) {
    this.wanted = until?.deliveries ?? members * intentsPerMember;
    const timer = setTimeout(() => this.reach(), secondsMax * 1_000);
    const look = async (sql: string): Promise<void> => {
      if ((await runSql<{ left: boolean }>(databaseUrl, sql))[0]?.left === false) this.reach();
    };
    const looks =
      leftSql === null ? undefined : setInterval(() => void look(leftSql).catch(this.end.reject), lookIntervalMs);
    this.reached = this.end.promise.finally(() => {
      this.over = true;
      clearTimeout(timer);
      clearInterval(looks);
    });
  }

  get isOver(): boolean {
    return this.over;
  }

  /** Time runs from the first job on: connecting and looking for migrations are not counted. */
  begin(): void {
    if (this.watch !== null) return;
    this.watch = new Stopwatch();
    this.from = machineMs();
  }

  count(jobs: number): void {
    this.done += jobs;
    this.to = machineMs();
    if (this.done >= this.wanted) this.reach();
  }

  figures(): RoundFigures {
    const figures = (this.watch ?? new Stopwatch()).read(this.done);
    return Number.isNaN(this.to) ? figures : { ...figures, span: { from: this.from, to: this.to } };
  }

  private reach(): void {
    this.over = true;
    this.end.resolve(undefined);
  }
}
