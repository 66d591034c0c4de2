import type { ContractClient, Seen } from '../interpreter/contract-client.js';
import { resolveStep } from '../interpreter/run-steps.js';
import { NotRun } from '../interpreter/scope.js';
import type { Session } from '../interpreter/session.js';
import { type Control, nobodysName } from './assumption.js';

interface ControlCall {
  readonly session: Session;
  readonly client: ContractClient;
  readonly name: string;
  readonly value: unknown;
}

/** @throws NotRun when the account may not make the call */
export async function runControl(control: Control, { session, client, name, value }: ControlCall): Promise<Seen> {
  const rules = session.rules(() => undefined);
  if (rules.mayNot.includes(control.call)) throw new NotRun(`the setup says that the account may not ${control.call}`);
  const { query, body } = renamed({ query: control.query, body: control.body }, name, value) as Control;
  const step = { ...bareStep, call: control.call, query, body };
  return client.perform(resolveStep(step, session.scopeOf(`control ${control.call} ${name}`), rules));
}

const bareStep = { path: {}, expect: { status: '4xx' as const, body: {} }, save: {} };

function renamed(at: unknown, name: string, value: unknown): unknown {
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return at;
  return Object.fromEntries(
    Object.entries(at).map(([key, item]) => (key === nobodysName ? [name, value] : [key, renamed(item, name, value)])),
  );
}
