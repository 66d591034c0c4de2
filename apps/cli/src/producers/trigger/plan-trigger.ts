import { readFileSync } from 'node:fs';

import type { KafkaEnvironment } from '#contracts';
import { isLoopback, readEnvironment } from '#contracts';
import { eventTypeOf } from '#events';

import type { TriggerOptions } from '../options.js';
import type { EventPlan, EventType } from './event-source.js';
import { EventSource, readEventType, shortTypeNames } from './event-source.js';
import { readSetting, SettingError } from './setting.js';

/** The host of `host:port`. */
function hostOf(broker: string): string {
  return broker.slice(0, broker.lastIndexOf(':'));
}

type ReadKafka =
  | { readonly ok: true; readonly kafka: KafkaEnvironment }
  | { readonly ok: false; readonly problems: readonly string[] };

interface KafkaWords {
  readonly env: NodeJS.ProcessEnv;
  /** In place of `KAFKA_BROKERS`. */
  readonly brokers: string | null;
  /** Nothing will be connected to. */
  readonly isDryRun: boolean;
}

const ofKafka = /^(?:KAFKA_.*|ALLOW_CLEARTEXT|NODE_TLS_REJECT_UNAUTHORIZED)$/;

/** Never connected to: the topics are read together with the brokers. */
const nowhere = 'localhost:9092';

/** The daemon's own `KAFKA_*` variables, and what allows to do without TLS; what else it is given need not be right here. */
function readKafka(words: KafkaWords): ReadKafka {
  const variables = kafkaVariables(words);
  if (variables === null) return { ok: false, problems: ['--brokers: required, or set KAFKA_BROKERS'] };
  const read = readEnvironment(variables, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return { ok: false, problems: read.errors.map((problem) => inWords(problem, words)) };
  const { kafka } = read.value;
  return kafka === null ? { ok: false, problems: ['--brokers: required'] } : { ok: true, kafka };
}

/** Null without brokers. */
function kafkaVariables({ env, brokers, isDryRun }: KafkaWords): Record<string, string | undefined> | null {
  const named = Object.fromEntries(Object.entries(env).filter(([name]) => ofKafka.test(name)));
  const listed = (brokers ?? named['KAFKA_BROKERS'] ?? '').trim();
  if (listed !== '') return { ...named, KAFKA_BROKERS: listed };
  return isDryRun ? { ...named, KAFKA_BROKERS: nowhere } : null;
}

/** By the word that was used. */
function inWords(problem: string, { brokers }: KafkaWords): string {
  return brokers === null ? problem : problem.replace(/^KAFKA_BROKERS:/, '--brokers:');
}

/** A run that was checked; nothing has been sent. */
export interface TriggerPlan {
  readonly options: TriggerOptions;
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  readonly events: EventSource;
}

/** What is wrong with the words of a run, one line each. */
export class UsageProblems extends Error {
  override readonly name = 'UsageProblems';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** Checks all that can be checked before anything is sent. @throws {UsageProblems} */
export function planTrigger(options: TriggerOptions, env: NodeJS.ProcessEnv): TriggerPlan {
  const type = readEventType(options.type);
  if (type === null) {
    throw new UsageProblems([`${options.type}: no such event type; there are ${shortTypeNames().join(', ')}`]);
  }
  const read = readKafka({ env, brokers: options.brokers, isDryRun: options.dryRun });
  if (!read.ok) throw new UsageProblems(read.problems);
  const { kafka } = read;
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
