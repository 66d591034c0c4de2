import type { HttpResult } from '#gateway';

import type { Chance } from '../kernel/chance.js';
import { answered } from './http-answers.js';
import type { PartnerCall } from './partner-call.js';
import type { WalletPass } from './wallet.js';

type Bodies = readonly [object, ...object[]];

const worded: Bodies = [
  { message: 'Validation failed: card is blocked' },
  { message: 'Accepted' },
  { success: false, message: 'Unknown member' },
];

const wordless: Bodies = [
  {},
  { success: false },
  { status: 'maintenance' },
  { data: {} },
  { passId: null, serialNumber: '', transactionId: null },
  { error: { code: 'CARD_BLOCKED' } },
];

/** A success with an object that proves nothing. @param real what it was really answered with; null: it was not done */
export function hollowAnswer({ name }: PartnerCall, real: HttpResult | null, chance: Chance): HttpResult {
  const wrapped = real === null ? [] : [{ data: JSON.parse(Buffer.from(real.body).toString('utf8')) as unknown }];
  // A message is all that a schedule is answered with (partner-api.md 4.4): there it would prove something.
  const bodies: Bodies = name === 'schedule-update' ? [...wordless, ...wrapped] : [...wordless, ...wrapped, ...worded];
  return answered(chance.pick([200, 200, 201, 202, 207]), chance.pick(bodies));
}

/** Somebody else's pass, an invented one where there is nobody else. */
export function strangerAnswer(strangers: readonly WalletPass[], chance: Chance): HttpResult {
  const passId = chance.between(900_000, 999_999);
  const passdata = { metaData: { memberId: `stranger-${passId}` }, points: 0 };
  return answered(200, chance.pickAny(strangers) ?? { passId, serialNumber: `SN${passId}`, passdata });
}
