import { ingestStalls, sourceSilentMsMax, type StallQuestion, unansweredMsMax, unmovedMsMax } from './ingest.module.js';

interface Standing {
  readonly silentMs?: number;
  readonly unmovedMs?: number;
  readonly unansweredMs?: number;
  readonly placingMs?: number;
  readonly isDatabaseThere?: boolean;
}

function stallsOf(standing: Standing): string[] {
  const { silentMs = 0, unmovedMs = 0, unansweredMs = 0, placingMs = 0, isDatabaseThere = true } = standing;
  const now = 10_000_000;
  const parts = {
    source: { lastProgressAt: () => now - silentMs },
    batcher: { slowest: { unmovedMs, unansweredMs } },
    positions: { unmovedMs: placingMs },
  };
  const question: StallQuestion = { now, isDatabaseThere };
  return ingestStalls(parts as unknown as Parameters<typeof ingestStalls>[0], question);
}

describe('what of ingest stands still', () => {
  it('is nothing as long as everything moves now and then', () => {
    expect(stallsOf({ silentMs: 60_000, unmovedMs: 30_000, unansweredMs: 60_000, placingMs: 30_000 })).toEqual([]);
  });

  it.each<[string, Standing]>([
    ['no sign of life', { silentMs: sourceSilentMsMax + 1 }],
    ['does not move', { unmovedMs: unmovedMsMax + 1 }],
    ['recording of a batch in hand does not end', { unansweredMs: unansweredMsMax + 1 }],
    ['are not placed', { placingMs: unmovedMsMax + 1 }],
  ])('is told: %s', (problem, standing) => {
    expect(stallsOf(standing)).toEqual([expect.stringContaining(problem)]);
  });

  it('is not a batch that waits for a database that is away', () => {
    expect(stallsOf({ unansweredMs: 10 * unansweredMsMax, isDatabaseThere: false })).toEqual([]);
  });
});
