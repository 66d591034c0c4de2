import type { FaultKind } from '../fault-kind.js';

/** The call takes effect; the body is a proxy's page instead of JSON. */
export const garbage: FaultKind = {
  kind: 'garbage',
  async around(call, { status = 200 }, { next }) {
    await next(call);
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return { status, headers, body: '<html><body><h1>It works!</h1></body>', wire: 'whole' };
  },
};
