import type { PartnerCommand } from '../routing/partner-command.js';

/** How an unknown outcome is resolved (`onUnknown`, contracts.md section 2). */
export type UnknownPolicy = 'park' | 'resend' | 'probe';

/**
 * How an intent's unknown outcome is resolved (design.md section 6).
 * - `look-up`: by asking for the pass; absence must be proved twice.
 * - `resend-unique`: sent again, for the partner refuses the same value twice.
 * - `resend`: sent again because the programs file says so.
 * - `probe-points`, `probe-content`: by what the pass showed before and shows now.
 * - `park`: by a person.
 */
export type Resolution = 'look-up' | 'resend-unique' | 'resend' | 'probe-points' | 'probe-content' | 'park';

/** The way for one command under the programs file's `onUnknown`. A probe without a known effect parks. */
export function resolutionOf(command: PartnerCommand, onUnknown: UnknownPolicy): Resolution {
  if (command.operation === 'transaction' && command.uniqueAttribute?.enforced === true) return 'resend-unique';
  return onUnknown === 'probe' ? probeOf(command) : onUnknown;
}

/** Whether the pass must be read before each attempt, so that there is something to compare with. */
export function readsBefore(resolution: Resolution): boolean {
  return resolution === 'probe-points' || resolution === 'probe-content';
}

function probeOf(command: PartnerCommand): Resolution {
  switch (command.operation) {
    case 'issue':
    case 'issue-via-workflow':
      return 'look-up';
    case 'update-via-workflow':
      return 'probe-content';
    case 'transaction':
    case 'reward':
      return (command.pointsDelta ?? 0) === 0 ? 'park' : 'probe-points';
    case 'schedule-update':
      return 'park';
  }
}
