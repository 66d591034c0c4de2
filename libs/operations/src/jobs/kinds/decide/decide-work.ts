import { Injectable } from '@nestjs/common';

import type { IntentAction } from '#intents';

import type { Job } from '../../job-repository.js';
import type { NextItem } from '../replay/replay-items.js';
import { ActionWork } from '../replay/replay-work.js';

/** Says of each what became of it: as delivered it is settled, else it is sent again. */
@Injectable()
export class ResolveWork extends ActionWork {
  override readonly kind = 'resolve';

  protected override actionOf({ request }: Job): IntentAction {
    return { kind: 'resolve', as: request['as'] === 'delivered' ? 'delivered' : 'not-delivered' };
  }
}

/** Sends none of them any more. */
@Injectable()
export class CancelWork extends ActionWork {
  override readonly kind = 'cancel';

  protected override actionOf({ request }: Job): IntentAction {
    return { kind: 'cancel', isNotDelivered: request['notDelivered'] === true };
  }
}

/** Settles what the partner's list has; what it surely does not have stays parked, without a doubt. Sends nothing. */
@Injectable()
export class SettleWork extends ActionWork {
  override readonly kind = 'settle';

  protected override actionOf({ needsRole }: Job, { forecast }: NextItem): IntentAction | string {
    if (forecast === 'listed') return { kind: 'resolve', as: 'delivered' };
    if (forecast !== 'not-listed') return forecast;
    return needsRole === 'admin' ? { kind: 'resolve', as: 'not-delivered', isKept: true } : 'needs-admin';
  }
}
