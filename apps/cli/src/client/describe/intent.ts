import type { IntentDetails } from '#contracts';

import { intentPath } from '../act/intent-path.js';
import type { Paint } from '../output/colours.js';
import { statusColour } from '../output/colours.js';
import type { Field } from '../output/fields.js';
import { fields, section } from '../output/fields.js';
import { moneyText } from '../output/money.js';
import { payloadText } from '../output/payload.js';
import { requestText } from '../output/request-text.js';
import type { Column } from '../output/table.js';
import { Table } from '../output/table.js';
import { timeText } from '../output/times.js';
import type { Described } from './describe.js';

type Attempt = IntentDetails['attempts'][number];
type Event = IntentDetails['events'][number];

const attemptColumns: readonly Column<Attempt>[] = [
  { title: 'ATTEMPT', of: ({ attempt }) => attempt, side: 'right' },
  { title: 'BEGUN', of: ({ begunAt }) => begunAt },
  { title: 'TOOK', of: ({ durationMs }) => (durationMs === null ? null : `${durationMs} ms`), side: 'right' },
  { title: 'OUTCOME', of: ({ outcome }) => outcome ?? 'under way' },
  { title: 'CODE', of: ({ code }) => code },
  { title: 'PHASE', of: ({ phase }) => phase },
  { title: 'NEXT TRY', of: ({ nextTryAt }) => nextTryAt },
];

const eventColumns: readonly Column<Event>[] = [
  { title: 'VERSION', of: ({ version }) => version, side: 'right' },
  { title: 'AT', of: ({ at }) => at },
  { title: 'EVENT', of: ({ type }) => type },
  { title: 'ATTEMPT', of: ({ attempt }) => attempt, side: 'right' },
  { title: 'DATA', of: ({ data }) => (Object.keys(data).length === 0 ? null : JSON.stringify(data)) },
];

/** What an operator can do now, as commands. */
function nextSteps({ id, status, reason }: IntentDetails): readonly string[] {
  if (status !== 'parked') return [];
  if (reason === 'unknown-outcome') {
    return [
      'It may have taken effect. Look at the partner, then say what became of it:',
      `loyaltyd resolve intent '${id}' --as delivered|not-delivered --reason "…"`,
    ];
  }
  const commands = ['replay', 'correct', 'cancel'].map((verb) => `loyaltyd ${verb} intent '${id}' --reason "…"`);
  return commands.map((command) => (command.includes('correct') ? `${command} --patch FILE` : command));
}

function head(intent: IntentDetails): readonly Field[] {
  const { id, program, memberId, operation, status, reason, code, since, amount, purchaseId, isErased } = intent;
  const { eventType, source, storeId, occurredAt, recordedAt, cause, fingerprint } = intent;
  return [
    ['Intent', id],
    ['Status', reason === null ? status : `${status}: ${reason}`],
    ['Since', timeText(since)],
    ['Last code', code],
    ['Fingerprint', fingerprint],
    ['Member', `${program}/${memberId}${isErased ? ' (erased)' : ''}`],
    ['Operation', operation],
    ['Amount', amount === null ? null : moneyText(amount)],
    ['Purchase', purchaseId],
    ['Store', storeId],
    ['Event', `${eventType}${source === null ? '' : ` from ${source}`}`],
    ['Occurred', timeText(occurredAt)],
    ['Recorded', timeText(recordedAt)],
    ['Record', `${cause.topic}/${cause.partition}@${cause.offset}`],
  ];
}

function exchanges(attempts: readonly Attempt[]): string {
  return attempts
    .map(({ attempt, request, response }) => {
      const sent = section(`Attempt ${attempt}, request`, payloadText(request));
      return `${sent}${section(`Attempt ${attempt}, response`, payloadText(response))}`;
    })
    .join('');
}

/** The label of the status is coloured where the status is. */
function painted(text: string, status: string, paint: Paint): string {
  return text.replace(/^(Status: +)(\S+)$/m, (_line, label: string, shown: string) => {
    return `${label}${paint(shown, statusColour(status))}`;
  });
}

function textOf(intent: IntentDetails, paint: Paint): string {
  const { attempts, events, command, sourceRecord, status } = intent;
  return [
    painted(fields(head(intent)), status, paint),
    section('Next', nextSteps(intent).join('\n')),
    section('Attempts', attempts.length === 0 ? '' : new Table(attemptColumns, paint).rows(attempts)),
    section('Events', events.length === 0 ? '' : new Table(eventColumns, paint).rows(events)),
    section('Command', payloadText(command)),
    requestText(intent.nextRequest),
    exchanges(attempts),
    section('Record, headers', payloadText(sourceRecord?.headers)),
    section('Record, value', payloadText(sourceRecord?.value)),
  ].join('');
}

/** An intent with its whole story. */
export function intent(id: string): Described<IntentDetails> {
  return {
    load: async (client) => (await client.get(intentPath(id))) as IntentDetails,
    text: textOf,
    nameOf: (details) => details.id,
  };
}
