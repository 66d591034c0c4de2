import type { Program, ProgramsFile, SourceEvent } from '#contracts';

import { routeEnrolled } from './route-enrolled.js';
import { routeMerged, routeOptedOut } from './route-member-leaving.js';
import { routeCompleted, routeRefunded, routeVoided } from './route-purchase.js';
import type { RouteResult } from './route-result.js';
import { ignored, nobody, quarantine } from './route-result.js';
import { routeGranted, routeRevoked } from './route-reward.js';
import { routeUpdated } from './route-updated.js';

/**
 * What a valid source event makes us owe the partner: contracts.md section 1, "Which partner call an event causes".
 * Pure and deterministic: the same event and file give the same result, on every replica and every attempt. Never
 * throws. `detail` of a quarantine names paths and rules, never a value.
 */
export function routeSourceEvent(event: SourceEvent, programs: ProgramsFile): RouteResult {
  const { program: name } = event.data;
  const memberId = event.data.memberId ?? nobody;
  if (memberId === nobody && !namesItsPurchase(event)) return ignored('no-member');
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  if (program !== undefined) return routeInProgram(event, memberId, program);
  return programs.unknownProgram === 'ignore'
    ? ignored('unknown-program')
    : quarantine('unknown-program', 'data.program: not in the programs file');
}

/** Whether an event acts by what it names alone: what a void takes back has a member, if it was recorded at all. */
export function namesItsPurchase({ name }: SourceEvent): boolean {
  return name === 'loyalty.purchase.voided.v1';
}

function routeInProgram(event: SourceEvent, memberId: string, program: Program): RouteResult {
  const known = { memberId, program };
  switch (event.name) {
    case 'loyalty.member.enrolled.v1':
      return routeEnrolled({ event, ...known });
    case 'loyalty.member.updated.v1':
      return routeUpdated({ event, ...known });
    case 'loyalty.member.opted-out.v1':
      return routeOptedOut({ event, ...known });
    case 'loyalty.member.merged.v1':
      return routeMerged({ event, ...known });
    case 'loyalty.purchase.completed.v1':
      return routeCompleted({ event, ...known });
    case 'loyalty.purchase.refunded.v1':
      return routeRefunded({ event, ...known });
    case 'loyalty.purchase.voided.v1':
      return routeVoided({ event, ...known });
    case 'loyalty.reward.granted.v1':
      return routeGranted({ event, ...known });
    case 'loyalty.reward.revoked.v1':
      return routeRevoked({ event, ...known });
    default:
      return event satisfies never;
  }
}
