import { keyedDigest } from '#platform';
import type { IntentEvent, PartnerCommand } from '#intents/core';
import { refusalFingerprint } from '#intents/core';

import type { JobFixture } from './job-fixture.js';
import type { Sample } from './sample-records.js';
import { purchase } from './sample-records.js';

/** What fingerprints are digested with. */
export const fingerprintMac = Buffer.alloc(32, 7);

export function commandOf({ verdict }: Sample): PartnerCommand {
  const [intent] = verdict.kind === 'routed' ? verdict.intents : [];
  if (intent?.command === undefined || intent.command === null) throw new Error('a purchase has a command');
  return intent.command;
}

/** A purchase of another store than that of the samples. */
export function purchaseIn(store: string, id: string, memberId: string, amount?: string): Sample {
  const { original, verdict } = purchase(id, memberId, amount);
  if (verdict.kind !== 'routed') throw new Error('a purchase is routed');
  const intents = verdict.intents.map((intent) => ({ ...intent, facts: { ...intent.facts, storeId: store } }));
  return { original, verdict: { ...verdict, intents } };
}

/** Records them, and has each refused in the words that `say` gives for its member. One purchase a member. */
export async function refusePurchases(
  fixture: JobFixture,
  byMember: ReadonlyMap<string, Sample>,
  say: (memberId: string) => string,
): Promise<void> {
  await fixture.record([...byMember.values()]);
  await fixture.endDue((memberId, at) => {
    const sample = byMember.get(memberId);
    if (sample === undefined) throw new Error(`${memberId} has bought nothing`);
    const message = say(memberId);
    const text = refusalFingerprint('refused', message, commandOf(sample));
    const fingerprint = keyedDigest(fingerprintMac, text).toString('hex');
    const events: IntentEvent[] = [
      { type: 'AttemptRejected', at, attempt: 1, code: 'refused', fingerprint },
      { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' },
    ];
    const response = { status: 422, headers: {}, body: JSON.stringify({ message }), truncated: false };
    return { evidence: { phase: 'answered', request: { method: 'POST', path: '/' }, response }, events };
  });
}
