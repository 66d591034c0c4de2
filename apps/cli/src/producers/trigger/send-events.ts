import { setTimeout as delay } from 'node:timers/promises';

import { KafkaAccess } from '#daemon';
import { createKafkaDriver, type KafkaConnection } from '#kafka';
import { createLogger, SystemClock } from '#platform';

import { exitError, exitOk, exitSomeFailed, exitUsage } from '../../command-line/command-failure.js';
import type { SentPlace } from '../record-sender.js';
import { RecordSender } from '../record-sender.js';
import type { TextOutput } from '../text-output.js';
import type { TriggeredEvent } from './event-source.js';
import type { TriggerPlan } from './plan-trigger.js';

interface SendTools {
  /** Where each record lies, a JSON line each. */
  readonly output: TextOutput;
  readonly complain: (line: string) => void;
}

/** Sends the events of a plan in order, at its rate. @returns the exit code */
export async function sendEvents(plan: TriggerPlan, tools: SendTools): Promise<number> {
  const clock = new SystemClock();
  const logger = createLogger({ level: 'silent', service: 'loyaltyd-trigger' });
  const access = new KafkaAccess(createKafkaDriver(), () => plan.kafka, { clock, logger });
  const connection = (): KafkaConnection => ({ ...access.connection(), clientId: 'loyaltyd-trigger' });
  const sender = new RecordSender({ connection, topic: plan.topic, clock, logger, driver: access.driver });
  let sent = 0;
  try {
    const remote = plan.options.yes ? null : await sender.remoteBroker();
    if (remote !== null) {
      tools.complain(`the brokers call themselves ${remote}, which is not this machine. To send: --yes`);
      return exitUsage;
    }
    await sender.requireTopic();
    for await (const triggered of paced(plan)) {
      const place = await sender.send(triggered.record);
      sent += 1;
      await tools.output.write(`${JSON.stringify(lineOf(plan, triggered, place))}\n`);
    }
    return exitOk;
  } catch (error) {
    tools.complain(failureText(error, sent, plan));
    return sent > 0 ? exitSomeFailed : exitError;
  } finally {
    await sender.close();
  }
}

/** At most at the rate asked for: what a slow broker delays is not made up for. */
async function* paced({ options, events }: TriggerPlan): AsyncGenerator<TriggeredEvent, void> {
  const intervalMs = 1_000 / options.eventsPerSecond;
  let dueAt = performance.now();
  for (let number = 1; number <= options.count; number += 1) {
    await delay(Math.max(0, dueAt - performance.now()));
    dueAt = Math.max(dueAt, performance.now()) + intervalMs;
    yield events.make(number);
  }
}

function lineOf({ topic }: TriggerPlan, { event, record, refusal }: TriggeredEvent, place: SentPlace): object {
  const { id, source, type, time } = event;
  return { topic, ...place, key: record.key, id, source, type, time, ...(refusal === null ? {} : { refusal }) };
}

function failureText(error: unknown, sent: number, { options }: TriggerPlan): string {
  const text = error instanceof Error ? error.message : 'unknown error';
  return sent === 0 ? text : `${sent} of ${options.count} were sent, then: ${text}`;
}
