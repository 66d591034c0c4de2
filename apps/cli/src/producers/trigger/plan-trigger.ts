import type { KafkaEnvironment } from '#contracts';
import { isLoopback } from '#contracts';
import { eventTypeOf } from '#events';

import { readKafka, UsageProblems } from '../kafka-words.js';
import type { TriggerOptions } from '../options.js';
import type { EventPlan, EventType } from './event-source.js';
import { EventSource, readEventType, shortTypeNames } from './event-source.js';
import { readSetting, SettingError } from './setting.js';

/** The host of `host:port`. */
function hostOf(broker: string): string {
  return broker.slice(0, broker.lastIndexOf(':'));
}

/** A run that was checked; nothing has been sent. */
export interface TriggerPlan {
  readonly options: TriggerOptions;
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  readonly events: EventSource;
}

/** Checks all that can be checked before anything is sent. @throws {UsageProblems} */
export function planTrigger(options: TriggerOptions, env: NodeJS.ProcessEnv): TriggerPlan {
  const type = readEventType(options.type);
  if (type === null) {
    throw new UsageProblems([`${options.type}: no such event type; there are ${shortTypeNames().join(', ')}`]);
  }
  const kafka = readKafka({ env, brokers: options.brokers, isDryRun: options.dryRun });
  const events = new EventSource(eventPlan(type, options), options.mode);
  checkEvents(events, options);
  if (!options.dryRun) checkBrokers(kafka, options);
  return { options, kafka, topic: options.topic ?? topicOf(type, kafka), events };
}

function eventPlan(type: EventType, { program, member, settings }: TriggerOptions): EventPlan {
  return { type, program, member, settings: withSettings(() => settings.map(readSetting)) };
}

/** Nothing is sent unless all of it would be taken. */
function checkEvents(events: EventSource, { count, invalid }: TriggerOptions): void {
  for (let number = 1; number <= count; number += 1) {
    const { refusal } = withSettings(() => events.make(number));
    if (refusal === null || invalid) continue;
    throw new UsageProblems([`the daemon would refuse event ${number}, ${refusal}`, refusalHelp]);
  }
}

const refusalHelp = `text that reads as JSON goes in quotes, --set 'purchaseId="42"'; to send it all the same: --invalid`;

function checkBrokers({ brokers }: KafkaEnvironment, { yes }: TriggerOptions): void {
  const remote = brokers.find((broker) => !isLoopback(hostOf(broker)));
  if (remote === undefined || yes) return;
  throw new UsageProblems([`${remote} is not this machine: a daemon there would tell its partner. To send: --yes`]);
}

function withSettings<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettingError) throw new UsageProblems([`--set ${error.message}`]);
    throw error;
  }
}

function topicOf({ name }: EventType, { topics }: KafkaEnvironment): string {
  return topics[eventTypeOf(name).subject];
}
