import type { PartnerView } from '#contracts';

import type { Paint } from './output.js';
import { Table } from './output.js';
import type { MemberName } from './paths.js';
import { memberPath } from './paths.js';
import type { Described } from './show.js';
import type { Field } from './text.js';
import { fields, section, timeText } from './text.js';

type Open = PartnerView['ours']['open'][number];

/** `undefined` is what the partner does not show. */
const valueText = (value: unknown): string => {
  if (value === undefined) return 'not shown';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isThereText: Readonly<Record<string, string>> = { true: 'yes', false: 'no', null: 'not shown' };

interface WantedRow {
  readonly intent: string;
  readonly status: string;
  readonly path: string;
  readonly ours: string;
  readonly partner: string;
  readonly isThere: string;
  /** What the answer proves of the intent. */
  readonly proves: string;
}

function proofText(proof: Open['proof']): string {
  if (proof === null) return '';
  const { verdict, evidence, why } = proof;
  return verdict === 'nothing' ? `nothing: ${why ?? ''}` : `${verdict} (${evidence ?? ''})`;
}

/** One line for each value that an open intent wants, or one for the intent that wants none. */
function wantedRows({ intent, operation, status, wants, proof }: Open): WantedRow[] {
  const proves = proofText(proof);
  const none = { intent, status, path: `(${operation})`, ours: '', partner: '', isThere: '', proves };
  if (wants.length === 0) return [none];
  return wants.map(({ path, ours, partner, isThere }) => ({
    ...{ intent, status, path, ours: valueText(ours), partner: valueText(partner) },
    isThere: isThereText[String(isThere)] ?? '',
    proves,
  }));
}

function partnerFields({ result, code, status, listed, pass, durationMs }: PartnerView['partner']): readonly Field[] {
  const passdata = (pass?.['passdata'] ?? {}) as Readonly<Record<string, unknown>>;
  return [
    ['Partner says', result === 'failed' ? `failed: ${code ?? ''}` : result],
    ['HTTP status', status],
    ['Listing counts', listed],
    ['Took', `${Math.round(durationMs)} ms`],
    ...(pass === null
      ? []
      : ([
          ['Pass', valueText(pass['passId'])],
          ['Serial number', valueText(pass['serialNumber'])],
          ['Pass status', valueText(pass['statusCode'])],
          ['Tier', valueText(pass['templateTierId'])],
          ['Points', valueText(passdata['points'])],
        ] as const)),
  ];
}

function partnerText({ program, memberId, at, ours, partner, differences }: PartnerView, paint: Paint): string {
  const head: readonly Field[] = [
    ['Member', `${program}/${memberId}`],
    ['At', timeText(at)],
    ...partnerFields(partner),
    ['We know', ours.pass === null ? ours.passKnown : `pass ${valueText(ours.pass.passId)}`],
    ['At rest', ours.isAtRest ? 'yes' : 'no: what was sent is not compared'],
  ];
  const differing = new Table<PartnerView['differences'][number]>(
    [
      { title: 'PATH', of: ({ path }) => path },
      { title: 'OURS', of: (value) => valueText(value.ours) },
      { title: 'PARTNER', of: (value) => valueText(value.partner) },
    ],
    paint,
  );
  const wanted = new Table<WantedRow>(
    [
      { title: 'INTENT', of: ({ intent }) => intent },
      { title: 'STATUS', of: ({ status }) => status },
      { title: 'PATH', of: ({ path }) => path },
      { title: 'WANTED', of: (row) => row.ours },
      { title: 'PARTNER', of: (row) => row.partner },
      { title: 'THERE', of: ({ isThere }) => isThere },
      { title: 'PROVES', of: ({ proves }) => proves },
    ],
    paint,
  );
  const rows = ours.open.flatMap(wantedRows);
  return `${fields(head)}${section('Differences', differences.length === 0 ? '' : differing.rows(differences))}${section(
    'Not settled',
    rows.length === 0 ? '' : wanted.rows(rows),
  )}`;
}

/** A member's pass as the partner shows it now, beside what we know. */
export function passAtPartner(name: MemberName, reason: string): Described<PartnerView> {
  return {
    load: async (client) => (await client.get(`${memberPath(name)}/partner`, { reason })) as PartnerView,
    text: partnerText,
    nameOf: ({ program, memberId }) => `${program}/${memberId}`,
  };
}
