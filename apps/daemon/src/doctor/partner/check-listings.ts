import type { Program, WalletPass } from '#contracts';
import type { Partner, PassListing, PassPage } from '#gateway';
import { GatewayError } from '#gateway';

import type { ReadPrograms } from '../check-programs.js';
import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, skipped, warning } from '../finding.js';
import { concludeMs } from '../limits.js';
import { nameList } from '../name-list.js';
import { asked } from './check-lookups.js';
import { codeRemedy } from './describe-code.js';

const name = 'partner.listing';
const configurationName = 'partner.configuration';
const askMs = concludeMs - 250;

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

/** What a page of one pass tells. */
export function judgeListing(
  [program, settings]: readonly [string, Program],
  page: PassPage | null,
  shapeAlarms: readonly string[],
): Finding {
  const at = `${name}.${program}`;
  const well = countText(page?.totalCount ?? null);
  const oddities = pageOddities(page?.passes ?? [], settings, shapeAlarms);
  if (oddities.length === 0) return ok(at, well);
  return warning(at, { detail: `${well}; ${oddities.join('; ')}`, remedy: talkRemedy });
}

async function ask(
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
    return failed(`${name}.${program}`, { detail: `no page to be had (${stage}: ${code})`, remedy: codeRemedy(code) });
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
  const plan = { name, timeoutMs: concludeMs, remedy: codeRemedy('timeout') };
  examination.after(ready, plan, async ([partner, { loaded }], signal) => {
    const { entries } = asked(loaded.file.programs);
    const findings = await Promise.all(entries.map((entry) => ask(entry, { partner, signal })));
    return { findings: [...findings, ...entries.map(unreadable)], value: null };
  });
}
