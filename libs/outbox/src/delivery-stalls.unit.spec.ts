import { callSlackMs, databaseEffectMsMax, deliveryStalls, unmovedSlackMs } from './delivery-stalls.js';
import type { EffectType } from './delivery-stalls.js';
import { deliverySettings } from './settings.js';

const settings = deliverySettings(10_000);
const callMsMax = 20_000 + callSlackMs;
const idleMsMax = settings.leaseMs + unmovedSlackMs;

interface StallCase {
  readonly open?: Partial<Record<EffectType, number>>;
  readonly idleMs?: number;
  readonly lanesHeld?: number;
  readonly isDatabaseSteady?: boolean;
}

function stallsOf({ open = {}, idleMs = 0, lanesHeld = 0, isDatabaseSteady = true }: StallCase): string[] {
  const oldestMs = (types: ReadonlySet<EffectType>): number | null => {
    const ages = Object.entries(open).filter(([type]) => types.has(type as EffectType));
    return ages.length === 0 ? null : Math.max(...ages.map(([, age]) => age));
  };
  return deliveryStalls({ effects: { oldestMs, idleMs }, lanesHeld, settings }, isDatabaseSteady);
}

describe('what of delivery stands still', () => {
  it('is nothing as long as whatever is under way may still end, or nothing is to be done', () => {
    expect(stallsOf({ open: { Claim: databaseEffectMsMax, Send: callMsMax, Lookup: callMsMax } })).toEqual([]);
    expect(stallsOf({ idleMs: 10 * idleMsMax })).toEqual([]);
    expect(stallsOf({ idleMs: 10 * idleMsMax, lanesHeld: 3, open: { Send: 5 } })).toEqual([]);
  });

  it.each<[string, StallCase]>([
    ['a statement does not end', { open: { Claim: databaseEffectMsMax + 1 } }],
    ['a statement does not end', { open: { Flush: databaseEffectMsMax + 1 }, lanesHeld: 1 }],
    ['a statement does not end', { open: { Coordinate: databaseEffectMsMax + 1 } }],
    ['a call to the partner does not end', { open: { Send: callMsMax + 1 }, isDatabaseSteady: false }],
    ['a call to the partner does not end', { open: { Lookup: callMsMax + 1 } }],
    ['it holds lanes and does nothing', { lanesHeld: 1, idleMs: idleMsMax + 1 }],
    ['it holds lanes and does nothing', { lanesHeld: 1, idleMs: idleMsMax + 1, open: { RecordLate: 1 } }],
  ])('is told: %s, %j', (problem, standing) => {
    expect(stallsOf(standing)).toEqual([`delivery: ${problem}`]);
  });

  it('is not a statement that waits for a database that is away, however long', () => {
    expect(stallsOf({ open: { Flush: 100 * databaseEffectMsMax }, lanesHeld: 9, isDatabaseSteady: false })).toEqual([]);
  });
});
