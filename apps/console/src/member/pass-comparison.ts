import type { Answer } from '../api/api-types.js';
import { isMasked } from '../components/mask.js';

export type PartnerView = Answer<'/members/{program}/{memberId}/partner'>;

/** A value of the pass, as it was sent or is known here, and as the partner shows it. */
export interface PassRow {
  readonly path: string;
  readonly ours: string | null;
  readonly partner: string | null;
  /** `open`: an intent wants it otherwise, which is still to be sent. `one-side`: also of what is masked. */
  readonly mark: 'same' | 'differs' | 'open' | 'one-side';
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Its values by their paths: `passdata.points`. */
export function flatPass(pass: unknown, prefix = ''): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (!isObject(pass)) return values;
  for (const [name, value] of Object.entries(pass)) {
    if (value === null || value === undefined) continue;
    const path = `${prefix}${name}`;
    if (isObject(value)) for (const [inner, text] of flatPass(value, `${path}.`)) values.set(inner, text);
    else values.set(path, textOf(value));
  }
  return values;
}

const shownText = (value: unknown): string | null => (value === undefined || value === null ? null : textOf(value));

function markOf(ours: string | null, partner: string | null): PassRow['mark'] {
  if (ours === null || partner === null || isMasked(`${ours}${partner}`)) return 'one-side';
  return ours === partner ? 'same' : 'differs';
}

/** Ours beside the partner's, what differs first. What is masked can be told apart by the daemon alone. */
export function passRows({ ours, partner, differences }: PartnerView): readonly PassRow[] {
  const rows = new Map<string, PassRow>();
  const [known, shown] = [flatPass(ours.pass), flatPass(partner.pass)];
  for (const path of new Set([...known.keys(), ...shown.keys()])) {
    const [mine, theirs] = [known.get(path) ?? null, shown.get(path) ?? null];
    rows.set(path, { path, ours: mine, partner: theirs, mark: markOf(mine, theirs) });
  }
  for (const { wants } of ours.open) {
    for (const { path, ours: wanted, partner: there, isThere } of wants) {
      if (isThere === true) continue;
      rows.set(path, { path, ours: shownText(wanted), partner: shownText(there), mark: 'open' });
    }
  }
  for (const { path, ours: sent, partner: there } of differences) {
    rows.set(path, { path, ours: shownText(sent), partner: shownText(there), mark: 'differs' });
  }
  return inRank([...rows.values()]);
}

function inRank(rows: readonly PassRow[]): readonly PassRow[] {
  const ranks = { differs: 0, open: 1, same: 2, 'one-side': 3 } as const;
  return rows.toSorted((one, two) => ranks[one.mark] - ranks[two.mark] || one.path.localeCompare(two.path));
}

/** What is known here, as long as the partner was not asked. */
export function knownRows(pass: unknown): readonly PassRow[] {
  const known = [...flatPass(pass)];
  return inRank(known.map(([path, ours]) => ({ path, ours, partner: null, mark: 'one-side' })));
}

/** Whoever has such a value has the card. */
export const isCardAddress = (path: string): boolean => path.startsWith('downloadUrl');

/** What the partner answered, in a sentence. */
export function answerText({ partner, ours, differences }: PartnerView): string {
  if (partner.result === 'failed') {
    return `The partner could not say: ${partner.code ?? 'it failed'}. Nothing is known beyond what we have.`;
  }
  if (partner.result === 'absent') {
    const listed = partner.listed === null ? '' : ` Its listing counts ${partner.listed.toLocaleString('en')}.`;
    return `The partner has no pass of this member.${listed}`;
  }
  if (differences.length > 0) {
    return `The partner’s pass differs in ${differences.length.toLocaleString('en')} of the values that were sent.`;
  }
  return ours.isAtRest
    ? 'The partner’s pass is as it was sent last.'
    : 'The partner has the pass. Something is still to be sent: only then is all of it compared.';
}
