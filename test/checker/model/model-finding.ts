import type { DeliveryPolicy, IntentCommand, PassBefore } from '#domain';

import type { AskedEffect } from '../history.js';
import type { Pass } from './model-partner.js';

interface Asking {
  readonly policy: DeliveryPolicy;
  readonly asks: AskedEffect | null;
}

/** What a lookup says about an attempt whose outcome is unknown. */
export function findingOf(
  { policy, asks }: Asking,
  pass: Pass | 'absent' | null,
): Extract<IntentCommand, { type: 'RecordFinding' }>['finding'] {
  if (pass === null) return { kind: 'inconclusive' };
  if (pass === 'absent') return policy.operation === 'issue' ? { kind: 'pass-absent' } : { kind: 'inconclusive' };
  if (policy.operation === 'issue') return { kind: 'pass-found' };
  if (policy.resolution === 'probe-points') return { kind: 'points', points: pass.points };
  return pass.content === asks?.content ? { kind: 'as-wanted' } : { kind: 'inconclusive' };
}

/** What a begin notes of the pass, to compare with. */
export function readBefore({ policy, asks }: Asking, pass: Pass | 'absent' | null): PassBefore {
  if (pass === null || pass === 'absent') return {};
  if (policy.resolution === 'probe-points') return { points: pass.points };
  return pass.content === asks?.content ? {} : { differs: true };
}
