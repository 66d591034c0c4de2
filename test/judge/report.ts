import { type Bucket, type Case, type Finding, type Judged, type Rule, type Verdict } from './case.js';

/** How often the world is known to have broken an assumption. What is left out is not known to have happened at all. */
export interface Broken {
  /** Calls that the partner let take effect later than it was asked. */
  readonly appliedLate?: number;
  /** Calls that the partner carried out twice. */
  readonly appliedTwice?: number;
  /** Outcomes that nobody knew at the time: only these are sent again under `resend`. */
  readonly unknown?: number;
}

export type Bounds = { readonly [bucket in Bucket]: number };

/** How much may be counted apart: never more than there is known to be a cause for. */
export function boundsOf(given: Case, { appliedLate = 0, appliedTwice = 0, unknown = 0 }: Broken): Bounds {
  const { programs, operators, partner } = given;
  const terms = Object.values(programs.programs);
  const others = partner.others?.length ?? 0;
  const rewards = Math.max(0, ...terms.map((program) => Object.keys(program.rewards ?? {}).length));
  const isResent = terms.some(({ onUnknown }) => Object.values(onUnknown ?? {}).includes('resend'));
  const decided = operators.filter(({ act }) => ['replay', 'resolve', 'cancel', 'repair'].includes(act));
  return {
    'somebody-elses-effect': others,
    'somebody-elses-receipt': others,
    'somebody-elses-points': others * rewards,
    'partner-applied-late': appliedLate,
    'partner-applied-out-of-order': given.lists.filter(({ reason }) => reason === 'unknown-outcome').length,
    'partner-applied-twice': appliedTwice,
    'partner-broke-uniqueness': partner.breaksUniqueness === true ? Infinity : 0,
    'resent-as-asked': isResent ? unknown : 0,
    'operator-decided': decided.length,
    // Whose events it counts are erased members' by definition.
    erased: Infinity,
  };
}

/** What a run's report shows of what the judge says. */
export interface RetailersReport {
  readonly findings: number;
  readonly byRule: { readonly [rule in Rule]?: number };
  /** At most so many of each rule as tell enough. */
  readonly first: readonly Finding[];
  readonly judged: Judged;
  readonly buckets: Verdict['buckets'];
  /** Buckets that hold more than there is a cause for, with both numbers. */
  readonly unbounded: readonly string[];
}

const shownOfRuleMax = 3;

export function retailersReport(given: Case, { findings, buckets, judged }: Verdict, broken: Broken): RetailersReport {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const bounds = boundsOf(given, broken);
  const names = Object.keys(buckets) as Bucket[];
  return {
    findings: findings.length,
    byRule: Object.fromEntries([...byRule].map(([rule, own]) => [rule, own.length])),
    first: [...byRule.values()].flatMap((own) => own.slice(0, shownOfRuleMax)),
    judged,
    buckets,
    unbounded: names
      .filter((name) => buckets[name] > bounds[name])
      .map((name) => `${name} ${buckets[name]}, of ${bounds[name]} at most`),
  };
}

/** One finding in one line. */
export const findingText = ({ rule, program, member, what, place }: Finding): string =>
  `${rule}: ${what} (${[program, member, place].filter((part) => typeof part === 'string').join(', ')})`;

const counted = (counts: { readonly [name: string]: number | undefined }): string =>
  Object.entries(counts)
    .filter(([, count]) => (count ?? 0) > 0)
    .map(([name, count]) => `${name} ${(count ?? 0).toLocaleString('en-US')}`)
    .join(', ') || 'nothing';

/** For people. */
export function retailersText({ byRule, first, judged, buckets, unbounded }: RetailersReport): string {
  return [
    `the retailer's judge looked at ${counted({ ...judged })}`,
    `  finds ${counted(byRule)}; counts apart ${counted(buckets)}`,
    ...unbounded.map((text) => `  WITHOUT A CAUSE: ${text}`),
    ...first.map((finding) => `  ${findingText(finding)}`),
  ].join('\n');
}
