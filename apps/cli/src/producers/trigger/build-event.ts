import { SOURCE_EVENT_SAMPLES } from '#contracts';

import { applySetting } from './apply-setting.js';
import type { EventType } from './event-type.js';
import { numbered, type Setting, settingValue } from './setting.js';

/** What all events of one run have in common. */
export interface EventPlan {
  readonly type: EventType;
  /** In place of the sample's own; may hold `{n}`. */
  readonly program: string | null;
  readonly member: string | null;
  readonly settings: readonly Setting[];
}

/** What each has for itself. */
export interface EventTurn {
  /** From 1. */
  readonly number: number;
  /** Never used before. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A CloudEvent as JSON; nothing of it is checked. */
export type BuiltEvent = Record<string, unknown>;

export const triggerSource = '/loyaltyd/trigger';

/**
 * The number by which each type is known for ever: a sample's own would be a repetition from the second time on. What
 * an event refers to, as a refund to its purchase, stays the sample's.
 */
const ownNumbers: Partial<Record<EventType['name'], string>> = {
  'loyalty.purchase.completed.v1': 'purchaseId',
  'loyalty.purchase.refunded.v1': 'refundId',
  'loyalty.reward.granted.v1': 'grantId',
};

/** An event of the sample of its type, with what the plan says. @throws {SettingError} */
export function buildEvent(plan: EventPlan, turn: EventTurn): BuiltEvent {
  const { type, program, member, settings } = plan;
  const data = structuredClone<Record<string, unknown>>(SOURCE_EVENT_SAMPLES[type.name]);
  const ownNumber = ownNumbers[type.name];
  if (ownNumber !== undefined) data[ownNumber] = `test-${turn.id}`;
  if (program !== null) data['program'] = numbered(program, turn.number);
  if (member !== null) data['memberId'] = numbered(member, turn.number);
  const event: BuiltEvent = {
    specversion: '1.0',
    id: turn.id,
    source: triggerSource,
    type: type.type,
    time: new Date(turn.now).toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  for (const setting of settings) applySetting(event, { ...setting, value: settingValue(setting, turn.number) });
  return event;
}
