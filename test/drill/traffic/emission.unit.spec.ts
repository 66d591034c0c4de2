import { parseProgramsFile } from '#contracts';
import { decodeSourceRecord, routeSourceEvent } from '#events';
import { Chance, drillDials, Shop } from '#shop';

import { programsText, shopPrograms } from '../installation/programs.js';
import type { Emission } from './emission.js';
import { emissionOf } from './emission.js';

const startsAt = Date.parse('2026-11-20T10:00:00Z');
const stepMs = 100;

/** Half a minute of traffic. */
function traffic(seed: number, settlesAt = Infinity): Emission[] {
  const [chance, modes] = [new Chance(seed), new Chance(seed)];
  const shop = new Shop({ chance, dials: drillDials, programs: shopPrograms });
  const sent = Array.from({ length: 5_000 }, (_, index) => {
    const now = startsAt + Math.floor(index / 20) * stepMs;
    return shop.next(now, { settles: now >= settlesAt });
  });
  for (let held = shop.nextHeld(startsAt); held !== null; held = shop.nextHeld(startsAt)) sent.push(held);
  return sent.map((each) => emissionOf(each, modes));
}

const programs = parseProgramsFile(programsText(100));

function fateOf({ value, headers }: Emission): string {
  if (!programs.ok) throw new Error(programs.errors.join(', '));
  const decoded = decodeSourceRecord({ value, headers, now: startsAt + 3_600_000 });
  if (decoded.kind !== 'event') return decoded.kind;
  return routeSourceEvent(decoded.event, programs.value).kind;
}

describe('traffic', () => {
  it('is decided by its seed', () => {
    const bytes = (seed: number): string[] => traffic(seed).map(({ value }) => String(value));
    expect(bytes(1)).toEqual(bytes(1));
    expect(bytes(1).slice(0, 500)).not.toEqual(bytes(2).slice(0, 500));
  });

  it('has everything that tills do, and their mistakes', () => {
    const kinds = new Set(traffic(3).map(({ what }) => what));
    expect([...kinds].sort()).toEqual([
      'conflict',
      'duplicate',
      'member.enrolled',
      'member.opted-out',
      'member.updated',
      'no-member',
      'purchase.completed',
      'purchase.corrected',
      'purchase.refunded',
      'purchase.voided',
      'reward.granted',
      'reward.revoked',
      'told-anew',
      'useless',
    ]);
  });

  it('owes what the product routes to the partner, and shows of which thing an effect is', () => {
    const emissions = traffic(4);
    expect(new Set(emissions.filter(({ told }) => told.some(({ isOwed }) => isOwed)).map(fateOf))).toEqual(
      new Set(['routed']),
    );
    const told = emissions.flatMap((emission) => emission.told);
    const effects = Map.groupBy(told, ({ operation, memberId, key, minor }) =>
      [operation, key ?? `${memberId} ${minor ?? ''}`].join(' '),
    );
    const ambiguous = [...effects].filter(([, tellings]) => new Set(tellings.map(({ thing }) => thing)).size > 1);
    expect(ambiguous).toEqual([]);
  });

  it('tells a thing in several ways: who claims it, another number, another total', () => {
    const things = Map.groupBy(
      traffic(4).flatMap(({ told }) => told),
      ({ thing }) => thing,
    );
    const differing = (of: string, part: 'memberId' | 'key' | 'minor'): number =>
      [...things].filter(([thing, told]) => thing.startsWith(of) && new Set(told.map((one) => one[part])).size > 1)
        .length;
    expect(differing('sale', 'memberId')).toBeGreaterThan(0);
    expect(differing('sale', 'minor')).toBeGreaterThan(0);
    expect(differing('return', 'key')).toBeGreaterThan(0);
    expect([differing('return', 'minor'), differing('sale', 'key')]).toEqual([0, 0]);
  });

  it('never owes what was bought without a card, nor a return of that', () => {
    const told = traffic(4).flatMap((emission) => emission.told);
    const sales = Map.groupBy(
      told.filter(({ operation, takesBack }) => operation === 'transaction' && takesBack === null),
      ({ thing }) => thing,
    );
    const nobodys = [...sales].filter(([, tellings]) => tellings.every(({ memberId }) => memberId === ''));
    const returns = nobodys.flatMap(([thing]) => told.filter(({ takesBack }) => takesBack?.sale === thing));
    expect([nobodys.length, returns.length].map((count) => count > 10)).toEqual([true, true]);
    expect([...nobodys.flatMap(([, tellings]) => tellings), ...returns].filter(({ isOwed }) => isOwed)).toEqual([]);
  });

  it('has mistakes that become nothing', () => {
    const fates = traffic(5)
      .filter(({ what }) => what === 'useless')
      .map(fateOf);
    expect(fates).not.toContain('routed');
    expect(new Set(fates)).toEqual(new Set(['quarantine']));
  });

  it('enrols late at times, and never before it settles only', () => {
    const order = (emissions: readonly Emission[]): { late: number; never: number } => {
      const seen = new Set<string>();
      const bought = new Set<string>();
      let late = 0;
      for (const { what, key } of emissions) {
        if (key === null) continue;
        if (what === 'purchase.completed' && !seen.has(key)) bought.add(key);
        if (what === 'member.enrolled' && bought.delete(key)) late += 1;
        if (what === 'member.enrolled') seen.add(key);
      }
      return { late, never: bought.size };
    };
    const wild = order(traffic(3));
    expect(wild.late).toBeGreaterThan(10);
    expect(wild.never).toBeGreaterThan(0);
    expect(order(traffic(3, startsAt)).never).toBe(0);
  });
});
