import type { Program } from '#contracts';
import type { LookupReport, Partner, PassLookup } from '#gateway';
import type { Clock, Random } from '#platform';

import type { ReadPrograms } from '../check-programs.js';
import type { ClockReading } from '../clock-skew.js';
import { judgeSkew } from '../clock-skew.js';
import type { Examination, Examined, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped } from '../finding.js';
import { concludeMs, programsAskedMax } from '../limits.js';
import { codeRemedy } from './describe-code.js';
import { readDateHeader } from './date-header.js';

const name = 'partner.lookup';
const clockName = 'clock.partner';
const askMs = concludeMs - 250;

interface Lookup {
  readonly finding: Finding;
  readonly reading: ClockReading | null;
}

/** A member that nobody has: what matters is that we understand the answer. */
function nobody({ brandId, programId, uniqueIdKey, lookup }: Program, random: Random): PassLookup {
  const uniqueId = `loyaltyd-doctor-${random.uuid()}`;
  const by = lookup.by === 'email' ? { parameter: 'email' as const, value: `${uniqueId}@example.invalid` } : null;
  return { brandId, programId, uniqueId, uniqueIdKey, ...(by !== null && { by }) };
}

const absentRemedy =
  'Whether a member has no pass would never be understood: set lookup.absent (statuses and pattern) of the dialect to the ' +
  'wording of the refusal; docs/partner-dialect.md. If the ids in the path are wrong, it is that which was refused.';

/** What a lookup of nobody tells. */
export function judgeLookup(program: string, report: LookupReport): Finding {
  const at = `${name}.${program}`;
  switch (report.kind) {
    case 'absent':
      return ok(at, 'a member without a pass is answered as one');
    case 'found':
      return failed(at, {
        detail: 'a pass was answered for a member that nobody has',
        remedy:
          'Lookups do not select: check lookup.by and uniqueIdKey of the program, and lookup.trustWithoutMetaData of the dialect.',
      });
    case 'failed': {
      const { code } = report;
      const isMisread = code === 'refused' || code === 'empty-list';
      const detail = `${isMisread ? 'the answer for a member without a pass is not understood' : 'no usable answer'} (${code})`;
      return failed(at, { detail, remedy: isMisread ? absentRemedy : codeRemedy(code) });
    }
    default:
      return report satisfies never;
  }
}

async function ask(
  [program, settings]: readonly [string, Program],
  {
    partner,
    clock,
    random,
    signal,
  }: { readonly partner: Partner; readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
): Promise<Lookup> {
  const report = await partner.findPass(nobody(settings, random), { timeoutMs: askMs, signal });
  return { finding: judgeLookup(program, report), reading: readDateHeader(report.evidence, clock.now()) };
}

function judgeClock(readings: readonly ClockReading[]): Finding {
  const best = readings.toSorted((one, other) => one.uncertaintyMs - other.uncertaintyMs)[0];
  if (best === undefined) return skipped(clockName, 'the partner’s answers carry no Date header');
  return judgeSkew(clockName, 'the partner', best);
}

/** Those that are asked, and a word about the rest. */
export function asked(programs: Readonly<Record<string, Program>>): {
  readonly entries: readonly (readonly [string, Program])[];
  readonly rest: number;
} {
  const entries = Object.entries(programs);
  return { entries: entries.slice(0, programsAskedMax), rest: Math.max(0, entries.length - programsAskedMax) };
}

/** One lookup for each program, and the partner's clock as its answers tell it. */
export function checkLookups(
  examination: Examination,
  ready: Step<readonly [Partner, ReadPrograms]>,
  tools: { readonly clock: Clock; readonly random: Random },
): void {
  const plan = { name, timeoutMs: concludeMs, remedy: codeRemedy('timeout') };
  examination.after(ready, plan, async ([partner, { loaded }], signal): Promise<Examined<null>> => {
    const { entries, rest } = asked(loaded.file.programs);
    const lookups = await Promise.all(entries.map((entry) => ask(entry, { ...tools, partner, signal })));
    const readings = lookups.flatMap(({ reading }) => reading ?? []);
    const others = rest === 0 ? [] : [skipped(name, `${rest} more programs are not asked`)];
    return { findings: [...lookups.map(({ finding }) => finding), ...others, judgeClock(readings)], value: null };
  });
}
