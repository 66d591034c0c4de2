import { createGateway, DialectRegistry } from '#gateway';
import { SystemClock } from '#platform';
import type { GatewayAnswer } from '../gateway/gateway-answer.js';
import { portCalls } from '../gateway/port-calls.js';
import { resolveStep } from '../interpreter/run-steps.js';
import type { Scope } from '../interpreter/scope.js';
import type { Step } from '../reading/specification.js';
import type { DrillRun } from './drill-run.js';

/** A gateway of one drill: what a fault has left of its connections and token ends with it. */
export interface DrillGateway {
  takeToken(): Promise<void>;
  /** What the gateway makes of the call: `unknown http-500`, `answered`, `failed timeout`, ... */
  say(step: Step, scope: Scope, timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

export function drillGateway({ access, dialect, setup, session }: DrillRun): DrillGateway {
  const { baseUrl, authUrl, clientId, clientSecret, scope: tokenScope } = access;
  const { partner, close } = createGateway({
    baseUrl,
    authUrl,
    scope: tokenScope,
    readCredentials: () => ({ clientId, clientSecret }),
    dialects: new DialectRegistry({ file: dialect, programs: [] }),
    clock: new SystemClock(),
  });
  const rules = session.rules(() => undefined);
  return {
    takeToken: async () => {
      const { kind } = await partner.checkToken({ timeoutMs: 10_000 });
      if (kind === 'failed') throw new Error('the sandbox gives no token');
    },
    say: async (step, scope, timeoutMs) => {
      const resolved = resolveStep(step, scope, rules);
      return told(await portCalls[step.call].make(resolved, { partner, setup, options: { timeoutMs } }));
    },
    close,
  };
}

const outcomeWords = ['applied', 'rejected', 'not-applied', 'unknown', 'absent'];

/** Calls that only read tell a code; whether it is a failure is said before it. */
function told({ isYes, verdict }: GatewayAnswer): string {
  if (outcomeWords.includes(verdict.split(' ', 1)[0] ?? '')) return verdict;
  return isYes ? `answered ${verdict}` : `failed ${verdict}`;
}
