import type { Chance } from '../chance.js';
import type { FaultRule } from '../installation/wallet.js';
import type { Fault } from './fault.js';

/** Late commits stay below the time within which the programs file says that calls may still take effect. */
export const lateCommitMsMax = 6_000;
/** Longer than the daemon waits for an answer. */
const tooSlowMs = 3_000;

type Rule = Omit<FaultRule, 'kind' | 'operation' | 'probability'> & { readonly operation?: string };

/** What each kind needs beyond its name, and how often it strikes at most. */
const kinds: Readonly<Record<string, { readonly often: number; readonly rule: (chance: Chance) => Rule }>> = {
  latency: { often: 0.6, rule: (chance) => ({ ms: chance.between(50, 1_500) }) },
  'too-many': { often: 0.3, rule: (chance) => (chance.isLucky(0.7) ? { retryAfter: chance.between(1, 2) } : {}) },
  'error-before': { often: 0.3, rule: (chance) => ({ status: chance.pick([500, 502, 503, 504]) }) },
  'error-after': { often: 0.3, rule: (chance) => ({ status: chance.pick([500, 502, 503, 504]) }) },
  'drop-before': { often: 0.3, rule: () => ({}) },
  'drop-after': { often: 0.3, rule: () => ({}) },
  'commit-late': { often: 0.3, rule: (chance) => ({ ms: chance.between(300, lateCommitMsMax) }) },
  'commit-twice': { often: 0.1, rule: () => ({}) },
  'stale-lookup': { often: 0.7, rule: (chance) => ({ ms: chance.between(200, 4_000) }) },
  truncated: { often: 0.3, rule: () => ({}) },
  garbage: { often: 0.3, rule: () => ({}) },
  empty: { often: 0.3, rule: () => ({}) },
  'slow-headers': { often: 0.2, rule: () => ({ ms: tooSlowMs }) },
  'slow-body': { often: 0.2, rule: () => ({ ms: tooSlowMs }) },
  redirect: { often: 0.2, rule: () => ({ status: 307 }) },
  'redirect-after': { often: 0.2, rule: () => ({ status: 303 }) },
  oversized: { often: 0.02, rule: () => ({ bytes: 32 * 1024 * 1024 }) },
  // With the effect or without it, as the sandbox' seed has it for each call.
  hollow: { often: 0.2, rule: () => ({}) },
  foreign: { often: 0.2, rule: () => ({}) },
  unauthorized: { often: 0.2, rule: () => ({}) },
  message: { often: 0.8, rule: () => ({}) },
  'token-down': { often: 1, rule: () => ({ operation: 'token' }) },
};

/** Rates between rare and the kind's most. */
function rulesOf(kind: string, chance: Chance): FaultRule[] {
  const found = kinds[kind];
  if (found === undefined) throw new RangeError(`no such kind: ${kind}`);
  const probability = found.often * (0.1 + 0.9 * chance.unit());
  return [{ operation: '*', kind, probability, ...found.rule(chance) }];
}

const byRules: readonly Fault[] = Object.keys(kinds).map((kind) => ({
  kind: `partner-${kind}`,
  seat: 'partner',
  lastsMs: [1_500, 4_500],
  begin: async ({ wallet }, chance) => wallet.misbehave(rulesOf(kind, chance)),
}));

/**
 * The partner takes what it is configured to take once a second time. Only before anything was lost sight of: then
 * nothing is sent twice, and the checker may go on holding us to the promise for what is unique.
 */
const notUnique: Fault = {
  kind: 'partner-not-unique',
  seat: 'partner',
  lastsMs: [1_500, 3_000],
  isAloneOnly: true,
  begin: async ({ wallet }) => wallet.misbehave([{ operation: '*', kind: 'not-unique', probability: 1 }]),
};

/** The one that must come first is first. */
export const partnerFaults: readonly Fault[] = [notUnique, ...byRules];

/** Calls that take effect, or will in a moment, and whose caller hears nothing. */
export const commitThenDrop: readonly FaultRule[] = [
  { operation: '*', kind: 'drop-after', probability: 0.5 },
  { operation: '*', kind: 'commit-late', probability: 0.6, ms: 2_500 },
];
