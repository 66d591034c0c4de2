import type { Chance } from '../kernel/chance.js';
import type { WalletResult } from './wallet.js';

type Refusal = Exclude<WalletResult, { kind: 'done' }>;

export interface Refused {
  readonly status: number;
  readonly message: string;
}

/** A refusal in one of many wordings and statuses: the partner documents neither. */
export function refusalOf(refusal: Refusal, uniqueId: string, chance: Chance): Refused {
  switch (refusal.kind) {
    case 'duplicate-pass':
      return {
        status: chance.pick([400, 409, 422]),
        message: chance.pick([
          `A wallet pass with memberId ${uniqueId} already exists`,
          `Duplicate unique identifier: ${uniqueId}`,
          `unique_id ${uniqueId} is already in use`,
        ]),
      };
    case 'duplicate-value':
      return {
        status: chance.pick([400, 409, 422]),
        message: chance.pick([
          `Attribute ${refusal.attribute} must be unique: ${refusal.value}`,
          `Duplicate value ${refusal.value} for ${refusal.attribute}`,
          `${refusal.value} has already been used`,
        ]),
      };
    case 'no-pass':
      return {
        status: chance.pick([400, 404]),
        message: chance.pick(['Wallet pass not found', 'No such member', `Could not find a pass for ${uniqueId}`]),
      };
  }
}
