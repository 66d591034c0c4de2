import type { WalletPass } from '#contracts';
import type { DeliveryPolicy, Finding, PartnerCommand, PassContent } from '#domain';
import { comparePass } from '#domain';
import type { LookupReport } from '#gateway';

const inconclusive: Finding = { kind: 'inconclusive' };

/** What a look at the partner says about an attempt in doubt. Pure. */
export function findingOf(
  command: PartnerCommand | null,
  { resolution }: DeliveryPolicy,
  seen: { readonly report: LookupReport; readonly listed: number | null },
): Finding {
  const { report, listed } = seen;
  switch (report.kind) {
    case 'failed':
      return inconclusive;
    case 'absent':
      return listed === 0 ? { kind: 'pass-absent' } : inconclusive;
    case 'found':
      return resolution.startsWith('probe') ? probed(command, report) : { kind: 'pass-found' };
  }
}

/** The content that an update is to bring about; null for everything else. */
export function wantedContent(command: PartnerCommand | null): PassContent | null {
  return command?.operation === 'update-via-workflow' ? command.content : null;
}

/** A pass's points; null when they are not shown as a number that can be reckoned with. */
export function shownPoints({ passdata }: WalletPass): number | null {
  const points = passdata?.points;
  return typeof points === 'number' ? points : null;
}

function probed(command: PartnerCommand | null, { pass }: Extract<LookupReport, { kind: 'found' }>): Finding {
  const content = wantedContent(command);
  if (content !== null) return comparePass(content, pass) === 'as-wanted' ? { kind: 'as-wanted' } : inconclusive;
  const points = shownPoints(pass);
  return points === null ? inconclusive : { kind: 'points', points };
}
