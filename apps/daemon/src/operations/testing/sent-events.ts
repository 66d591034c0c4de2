import { sampleEvent } from '#events';
import type { SourceEventName } from '#events';

export const completed = 'loyalty.purchase.completed.v1';
export const refunded = 'loyalty.purchase.refunded.v1';
export const optedOut = 'loyalty.member.opted-out.v1';
export const updated = 'loyalty.member.updated.v1';
export const enrolled = 'loyalty.member.enrolled.v1';
export const granted = 'loyalty.reward.granted.v1';

/** A record as it lies in its topic. */
export interface Sent {
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, unknown>>;
export const structured = { 'content-type': 'application/cloudevents+json' };

/** An event in structured mode, made of the sample of its type. */
export function event(name: SourceEventName, data: Fields = {}, frame: Fields = {}): Fields {
  const { id, source, time, data: sample } = sampleEvent(name, { data });
  return { specversion: '1.0', id, source, type: name, time, data: sample, ...frame };
}

let count = 0;

/** Of its own member, with numbers of its own. */
export function own(name: SourceEventName): Fields {
  count += 1;
  const { data, ...frame } = event(name) as { readonly data: Fields };
  const numbers = ['purchaseId', 'refundId', 'grantId'].filter((number) => number in data);
  const numbered = Object.fromEntries(numbers.map((number) => [number, `${number}-${count}`]));
  return { ...frame, id: `event-${count}`, data: { ...data, memberId: `m-${count}`, ...numbered } };
}

/** With some of its fields changed, by path; undefined takes one away. */
export function changed(base: Fields, changes: Fields): Fields {
  const copy = structuredClone(base) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const at = steps.reduce((branch, step) => (branch[step] ??= {}) as Record<string, unknown>, copy);
    if (value === undefined) Reflect.deleteProperty(at, last);
    else at[last] = value;
  }
  return copy;
}

export const sent = (value: Fields): Sent => ({ value: JSON.stringify(value) });
/** No offset: such a record is set aside, and mended by what an operator may change. */
export const broken = { time: '2026-11-21T10:15:04' };

/** A refusal that names these paths, and no value. */
export function needsAdmin(...paths: readonly string[]): object {
  return {
    status: 403,
    type: 'application/problem+json; charset=utf-8',
    body: { type: 'urn:loyaltyd:problem:needs-admin', status: 403 },
    detail: needsAdminText(...paths),
  };
}

export function needsAdminText(...paths: readonly string[]): string {
  return `This needs the role admin, because of ${paths.join(', ')}.`;
}
