import { REPLAY_DEFAULTS } from '#contracts';

import type { Actor } from '../../../access/operator.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import type { JobPace } from '../../job-repository.js';
import { freezeSeen, replayItemsMax, sumItems } from '../replay/replay-items.js';
import { refuseUnfrozen, selectedBy } from '../replay/replay-order.js';

/** What sends nothing goes as fast as it can. */
export const unpaced: JobPace = { ratePerSecond: null, isCanary: false };

/** As a replay goes where nothing is said. */
export function sentPace({ ratePerSecond, canary }: Pick<RequestOf<'resolve'>, 'ratePerSecond' | 'canary'>): JobPace {
  return {
    ratePerSecond: ratePerSecond ?? REPLAY_DEFAULTS.ratePerSecond,
    isCanary: canary ?? REPLAY_DEFAULTS.canary,
  };
}

interface Decision {
  readonly query: RequestOf<'resolve'>['query'];
  /** What is said of each. */
  readonly said: Readonly<Record<string, unknown>>;
  readonly pace: JobPace;
}

function decided({ query: sent, said, pace }: Decision, actor: Actor): JobOrder {
  const { program, query, shown } = selectedBy(sent, actor);
  return {
    ...{ program, request: { query, ...said }, detail: { query: shown, ...said }, isPlan: true, pace },
    freeze: async (session, jobId) => {
      await freezeSeen(session, { jobId, query }, replayItemsMax).catch(refuseUnfrozen);
      return sumItems(session, jobId);
    },
  };
}

export function resolveOrder({ query, as, ...pace }: RequestOf<'resolve'>, actor: Actor): JobOrder {
  return decided({ query, said: { as }, pace: as === 'delivered' ? unpaced : sentPace(pace) }, actor);
}

export function cancelOrder({ query, notDelivered }: RequestOf<'cancel'>, actor: Actor): JobOrder {
  return decided({ query, said: { notDelivered }, pace: unpaced }, actor);
}
