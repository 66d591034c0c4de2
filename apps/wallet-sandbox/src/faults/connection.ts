import { setTimeout as delay } from 'node:timers/promises';
import { changeAnswer, droppedAnswer } from '../http/answer.js';
import type { FaultKind } from './fault-kind.js';

/** Everything takes `ms` longer. */
export const latency: FaultKind = {
  kind: 'latency',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    await delay(ms);
    return next(call);
  },
};

/** The call takes effect; the answer's head trickles in over `ms`, then its body comes at once. */
export const slowHeaders: FaultKind = {
  kind: 'slow-headers',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    return changeAnswer(await next(call), { wire: 'slow-headers', ms });
  },
};

/** The call takes effect; the answer's head comes at once, its body trickles in over `ms`. */
export const slowBody: FaultKind = {
  kind: 'slow-body',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    return changeAnswer(await next(call), { wire: 'slow-body', ms });
  },
};

/** The connection breaks and nothing takes effect. */
export const dropBefore: FaultKind = {
  kind: 'drop-before',
  async around() {
    return droppedAnswer;
  },
};

/** The call takes effect, then the connection breaks. */
export const dropAfter: FaultKind = {
  kind: 'drop-after',
  async around(call, _settings, { next }) {
    await next(call);
    return droppedAnswer;
  },
};

/** The call takes effect; the connection breaks in the middle of the answer's body. */
export const truncated: FaultKind = {
  kind: 'truncated',
  async around(call, _settings, { next }) {
    return changeAnswer(await next(call), { wire: 'cut' });
  },
};
