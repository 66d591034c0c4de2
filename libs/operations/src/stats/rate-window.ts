import type { IntentCount } from '#intents';

/** How far back rates look, and how short a time says nothing. */
export const rateWindowMs = 30_000;
export const rateSpanMsMin = 1_000;
/** Looks kept; there is one a second at most. */
const looksMax = 64;

/** What a program has recorded and settled in all. */
interface Totals {
  recorded: number;
  settled: number;
}

interface Look {
  readonly at: number;
  readonly totals: ReadonlyMap<string, Totals>;
}

/** How fast a program's intents come and go. */
export interface ProgramRate {
  readonly program: string;
  readonly recordedPerSecond: number;
  readonly settledPerSecond: number;
}

function totalsOf(counts: readonly IntentCount[]): ReadonlyMap<string, Totals> {
  const totals = new Map<string, Totals>();
  for (const { program, recorded, byStatus } of counts) {
    const total = totals.get(program) ?? { recorded: 0, settled: 0 };
    total.recorded += recorded;
    total.settled += byStatus.delivered + byStatus.cancelled;
    totals.set(program, total);
  }
  return totals;
}

/** Tells rates from what was counted at different times. Pure of clocks. */
export class RateWindow {
  private looks: Look[] = [];

  /** @param at monotonic ms */
  add(at: number, counts: readonly IntentCount[]): void {
    const kept = this.looks.filter((look) => at - look.at <= rateWindowMs).slice(1 - looksMax);
    this.looks = [...kept, { at, totals: totalsOf(counts) }];
  }

  /** Over the window, or as much of it as was looked at; empty while that says nothing. Never below 0: a rebuild counts anew. */
  rates(): ProgramRate[] {
    const [first] = this.looks;
    const last = this.looks.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < rateSpanMsMin) return [];
    const seconds = (last.at - first.at) / 1_000;
    const perSecond = (now: number, before: number): number => Math.max(0, now - before) / seconds;
    return [...last.totals].map(([program, { recorded, settled }]) => {
      const before = first.totals.get(program) ?? { recorded: 0, settled: 0 };
      return {
        program,
        recordedPerSecond: perSecond(recorded, before.recorded),
        settledPerSecond: perSecond(settled, before.settled),
      };
    });
  }
}
