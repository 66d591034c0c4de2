import type { ProvisionedView } from '#contracts';
import { isInDoubt } from '#domain';
import type { ProvisionedThing } from '#intents';

import { isoTime } from '../requests/iso-time.js';
import { keyOf } from './step-line.js';

export function toProvisionedView(thing: ProvisionedThing, now: number): ProvisionedView {
  const { action, state, stepId, partnerId, content, placed, at, jobId: job, actor, evidence } = thing;
  return {
    ...keyOf(thing),
    ...{ action, state, inDoubt: isInDoubt(thing, now), stepId, partnerId },
    content: { ...content },
    placed: placed === null ? null : { ...placed },
    at: isoTime(at),
    job,
    actor,
    evidence: evidence === null ? null : { ...evidence },
  };
}
