import type { Program, WalletPass } from '#contracts';
import type { LookupReport, Partner, PassListing, PassLookup, PassPage } from '#gateway';
import { GatewayError } from '#gateway';
import type { Clock, Random } from '#platform';

import type { ClockReading } from './clocks.js';
import { judgeSkew, readDateHeader } from './clocks.js';
import type { ReadPrograms } from './configuration.js';
import type { Examination, Examined, Step } from './examination.js';
import { concludeMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, skipped, warning } from './finding.js';

/** Programs whose partner is asked. */
const programsAskedMax = 10;
const askMs = concludeMs - 250;

/** Those that are asked, and how many are not. */
function programsAsked(programs: Readonly<Record<string, Program>>): {
  readonly entries: readonly (readonly [string, Program])[];
  readonly rest: number;
} {
  const entries = Object.entries(programs);
  return { entries: entries.slice(0, programsAskedMax), rest: Math.max(0, entries.length - programsAskedMax) };
}

const codeRemedies: ReadonlyMap<string, string> = new Map([
  [
    'unauthorized',
    'The partner gave us a token and then refused it: is WALLET_SCOPE the administration scope, are WALLET_AUTH_URL and WALLET_BASE_URL of one environment?',
  ],
  [
    'http-403',
    'Our client may not touch this brand or program: check brandId and programId, then ask the partner for the rights.',
  ],
  [
    'http-404',
    'The partner does not know this path: check brandId and programId in the programs file, and WALLET_BASE_URL.',
  ],
  [
    'too-many-requests',
    'The partner limits us. It goes on by itself; if it stays, lower limits.requestsPerSecond of the program.',
  ],
  [
    'not-a-page',
    'The answer has no list of passes: check WALLET_BASE_URL, then the dialect (docs/partner-dialect.md, list).',
  ],
  ['tls-failure', 'TLS was not agreed on: see partner.address, WALLET_CA_FILE and HTTPS_PROXY.'],
]);

const silentRemedy =
  'The partner does not answer, or not in time: ask them. Nothing is lost meanwhile; compare WALLET_TIMEOUT_MS.';
const serverRemedy = 'The partner has trouble of its own: ask them. Nothing is lost meanwhile.';
const otherRemedy = 'Compare the programs file with what the partner configured; `npm run contract` says more.';

/** What to do about an outcome's code. */
export function codeRemedy(code: string): string {
  const known = codeRemedies.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('http-5')) return serverRemedy;
  return /timeout|connect|reset|dns|truncated|malformed/.test(code) ? silentRemedy : otherRemedy;
}

const lookupName = 'partner.lookup';
const clockName = 'clock.partner';

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

/** Judges the answer to a lookup of nobody. */
export function judgeLookup(program: string, report: LookupReport): Finding {
  const at = `${lookupName}.${program}`;
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

async function askLookup(
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

/** One lookup for each program, and the partner's clock by its answers. */
export function checkLookups(
  examination: Examination,
  ready: Step<readonly [Partner, ReadPrograms]>,
  tools: { readonly clock: Clock; readonly random: Random },
): void {
  const plan = { name: lookupName, timeoutMs: concludeMs, remedy: codeRemedy('timeout') };
  examination.after(ready, plan, async ([partner, { loaded }], signal): Promise<Examined<null>> => {
    const { entries, rest } = programsAsked(loaded.file.programs);
    const lookups = await Promise.all(entries.map((entry) => askLookup(entry, { ...tools, partner, signal })));
    const readings = lookups.flatMap(({ reading }) => reading ?? []);
    const others = rest === 0 ? [] : [skipped(lookupName, `${rest} more programs are not asked`)];
    return { findings: [...lookups.map(({ finding }) => finding), ...others, judgeClock(readings)], value: null };
  });
}

const listingName = 'partner.listing';
const configurationName = 'partner.configuration';

async function firstPage(listing: PassListing): Promise<PassPage | null> {
  for await (const page of listing.pages()) return page;
  return null;
}

const talkRemedy = 'Tell whoever talks to the partner; the dialect may have to follow (docs/partner-dialect.md).';

/** A pass that was issued by somebody else has metaData of another kind. */
function metaDataOddities({ passdata }: WalletPass, { uniqueIdKey }: Program): readonly string[] {
  const metaData = passdata?.metaData ?? null;
  if (metaData === null || uniqueIdKey in metaData) return [];
  return [`the pass shown has metaData without ${uniqueIdKey} (uniqueIdKey): not issued by us?`];
}

function tierOddities({ templateTierId }: WalletPass, { tiers }: Program): readonly string[] {
  const tier = String(templateTierId ?? '');
  const known = Object.values(tiers).map(String);
  if (tier === '' || known.length === 0 || known.includes(tier)) return [];
  return [`the pass shown has tier ${tier}, which tiers does not list`];
}

/** What a page of one pass says against the programs file, the dialect and the documentation. */
function pageOddities(
  passes: readonly WalletPass[],
  program: Program,
  shapeAlarms: readonly string[],
): readonly string[] {
  const shown = passes.slice(0, 1);
  return [
    ...(passes.length > 1 ? [`asked for one pass, got ${passes.length}: list.names.pageSize is wrong`] : []),
    ...(shapeAlarms.length > 0 ? [`not as documented: ${nameList(shapeAlarms)}`] : []),
    ...shown.flatMap((pass) => [...metaDataOddities(pass, program), ...tierOddities(pass, program)]),
  ];
}

function countText(count: number | null): string {
  return count === null ? 'a page was read, without a count' : `${count} passes by the partner’s count`;
}

/** Judges a page of one pass. */
export function judgeListing(
  [program, settings]: readonly [string, Program],
  page: PassPage | null,
  shapeAlarms: readonly string[],
): Finding {
  const at = `${listingName}.${program}`;
  const well = countText(page?.totalCount ?? null);
  const oddities = pageOddities(page?.passes ?? [], settings, shapeAlarms);
  if (oddities.length === 0) return ok(at, well);
  return warning(at, { detail: `${well}; ${oddities.join('; ')}`, remedy: talkRemedy });
}

async function askListing(
  entry: readonly [string, Program],
  { partner, signal }: { readonly partner: Partner; readonly signal: AbortSignal },
): Promise<Finding> {
  const [program, { brandId, programId }] = entry;
  const listing = partner.listPasses({ brandId, programId }, { timeoutMs: askMs, signal, pageSize: 1, pagesMax: 1 });
  try {
    const page = await firstPage(listing);
    return judgeListing(entry, page, listing.summary.shapeAlarms);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { stage, code } = error;
    return failed(`${listingName}.${program}`, {
      detail: `no page to be had (${stage}: ${code})`,
      remedy: codeRemedy(code),
    });
  }
}

/** What the partner's specification lets nobody read (partner-api.md sections 2 and 4). */
export function unreadable([program, settings]: readonly [string, Program]): Finding {
  const { purchases, rewards, tiers, templateId, enrolment, update } = settings;
  const types = Object.values(purchases).flatMap((mapping: Program['purchases']['completed']) =>
    mapping?.via === 'transaction' ? [mapping.transactionTypeId] : [],
  );
  const workflows = [enrolment, update].flatMap((way) => (way.via === 'workflow' ? [way.workflowId] : []));
  const parts = [
    ['transaction types and their attributes', [...new Set(types)]],
    ['rewards', Object.values(rewards).map(({ id }) => id)],
    ['workflows', workflows],
    ['templates', templateId === null ? [] : [String(templateId)]],
    ['tiers', Object.values(tiers).map(String)],
  ] as const;
  const texts = parts.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what} ${nameList(ids)}`);
  const detail =
    texts.length === 0
      ? 'nothing to compare'
      : `cannot be read: ${texts.join('; ')}. No call of the partner lists them`;
  return skipped(`${configurationName}.${program}`, detail);
}

/** One page of one pass for each program, and what of the programs file cannot be compared with the partner. */
export function checkListings(examination: Examination, ready: Step<readonly [Partner, ReadPrograms]>): void {
  const plan = { name: listingName, timeoutMs: concludeMs, remedy: codeRemedy('timeout') };
  examination.after(ready, plan, async ([partner, { loaded }], signal) => {
    const { entries } = programsAsked(loaded.file.programs);
    const findings = await Promise.all(entries.map((entry) => askListing(entry, { partner, signal })));
    return { findings: [...findings, ...entries.map(unreadable)], value: null };
  });
}
