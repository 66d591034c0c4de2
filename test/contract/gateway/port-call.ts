import type { AttemptReport, CallEvidence, CallOptions, DialectInput, Partner } from '#gateway';

import type { ResolvedStep } from '../interpreter/contract-client.js';
import { valueAt } from '../interpreter/names.js';
import type { Setup } from '../specification.js';

/** What the port said, in the words that rows are written in. */
export interface GatewayAnswer {
  /** The port says that the call has succeeded. */
  readonly isYes: boolean;
  /** The outcome's kind and code. */
  readonly verdict: string;
  /** The typed value, or `{ message }` of a refusal. */
  readonly body: unknown;
  readonly shapeAlarms: readonly string[];
}

export function answerOf(report: AttemptReport<unknown>): GatewayAnswer {
  const { outcome, value, shapeAlarms } = report;
  switch (outcome.kind) {
    case 'applied':
      return { isYes: true, verdict: 'applied', body: value, shapeAlarms };
    case 'rejected': {
      const verdict = `rejected ${outcome.code}`;
      return { isYes: false, verdict, body: { message: outcome.message }, shapeAlarms };
    }
    case 'not-applied':
    case 'unknown':
      return { isYes: false, verdict: `${outcome.kind} ${outcome.code}`, body: messageIn(report), shapeAlarms };
    default:
      return outcome satisfies never;
  }
}

/** Where the port keeps a refusal's words as evidence only. */
export function messageIn({ response }: Pick<CallEvidence, 'response'>): unknown {
  try {
    return { message: valueAt(JSON.parse(response?.body ?? ''), 'message') };
  } catch {
    return undefined;
  }
}

export interface PortTools {
  readonly partner: Partner;
  readonly setup: Setup;
  readonly options: CallOptions;
}

/** How a step of the document is said to the port. */
export interface PortCall {
  /** What the gateway says in one way out of several: the dialect that makes it say it as the step does. */
  dialectFor?(step: ResolvedStep): DialectInput;
  make(step: ResolvedStep, tools: PortTools): Promise<GatewayAnswer>;
}

/** The value of a property whose name the dialect gives. */
export function named(values: unknown, path: string): unknown {
  return (values as Record<string, unknown> | undefined)?.[`<${path}>`];
}

/** Properties by the port's names: `<brandAttribute.names.required>` is `required` there. */
export function byPortNames(values: unknown): Record<string, unknown> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, value]) => [lastWord(key), typeof value === 'string' ? lastWord(value) : value]),
  );
}

function lastWord(text: string): string {
  return /^<(?:[\w]+\.)*(\w+)>$/.exec(text)?.[1] ?? text;
}

/** The parameters of the path under the port's names. */
export function programOf({ path }: ResolvedStep): { brandId: string; programId: string } {
  return { brandId: path['brand_id'] ?? '', programId: path['program_id'] ?? '' };
}

/** Where a brand keeps our member id. */
export function memberKeyOf({ path }: ResolvedStep, setup: Setup): string {
  const { email, memberKey } = setup;
  return email !== null && path['brand_id'] === email.brand ? email.memberKey : memberKey;
}

/** Undefined properties are left out: the port's own optional properties are exact. */
export function given<Value extends object>(
  properties: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Value]: Exclude<Value[Key], undefined> };
}
