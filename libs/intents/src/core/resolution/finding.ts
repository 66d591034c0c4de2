import type { WalletPass } from '#contracts';

import type { Finding } from '../intent/intent-command.js';
import { comparePass } from '../reconciliation/compare-pass.js';
import type { PartnerCommand, PassContent } from '../owed/partner-command.js';
import type { Resolution } from './resolution.js';

/** What a lookup of the member's pass came to. `listed`: passes that the listing counts; null: it gave no count. */
export type SeenPass =
  | { readonly kind: 'found'; readonly pass: WalletPass }
  | { readonly kind: 'absent'; readonly listed: number | null }
  | { readonly kind: 'failed' };

const inconclusive: Finding = { kind: 'inconclusive' };

/** What a lookup at the partner shows about an attempt in doubt. Pure. */
export function findingOf(command: PartnerCommand | null, resolution: Resolution, seen: SeenPass): Finding {
  switch (seen.kind) {
    case 'failed':
      return inconclusive;
    case 'absent':
      return seen.listed === 0 ? { kind: 'pass-absent' } : inconclusive;
    case 'found':
      return resolution.startsWith('probe') ? probed(command, seen.pass) : { kind: 'pass-found' };
  }
}

function probed(command: PartnerCommand | null, pass: WalletPass): Finding {
  const content = wantedContent(command);
  if (content !== null) return comparePass(content, pass) === 'as-wanted' ? { kind: 'as-wanted' } : inconclusive;
  const points = shownPoints(pass);
  return points === null ? inconclusive : { kind: 'points', points };
}

/** A pass's points; null when they are not shown as a number that can be reckoned with. */
export function shownPoints({ passdata }: WalletPass): number | null {
  const points = passdata?.points;
  return typeof points === 'number' ? points : null;
}

/** The content that an update is to bring about; null for everything else. */
export function wantedContent(command: PartnerCommand | null): PassContent | null {
  return command?.operation === 'update-via-workflow' ? command.content : null;
}
