import { setTimeout as delay } from 'node:timers/promises';
import type { FaultKind } from '../fault-kind.js';

/** Everything takes `ms` longer. */
export const latency: FaultKind = {
  kind: 'latency',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    await delay(ms);
    return next(call);
  },
};
