import type {
  GroupList,
  GroupView,
  IntentActionResult,
  IntentCorrectionResult,
  IntentDetails,
  IntentView,
} from '#contracts';

import { exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { inputJson } from '../command-line/terminal.js';
import type { ActFlags } from './act.js';
import { act } from './act.js';
import type { ApiClient } from './api-client.js';
import { pagedList, wholeList } from './api-client.js';
import type { Column, OneView, Paint } from './output.js';
import { statusColour, Table } from './output.js';
import { intentPath } from './paths.js';
import { intentKeys, queryText } from './query.js';
import type { Described, ListSource } from './show.js';
import type { Field } from './text.js';
import {
  ageText,
  fields,
  moneysText,
  moneyText,
  payloadText,
  requestText,
  safeJson,
  safeLine,
  section,
  timeText,
} from './text.js';

export const intentColumns: readonly Column<IntentView>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, colour: ({ status }) => statusColour(status) },
  { title: 'OPERATION', of: ({ operation }) => operation },
  { title: 'REASON', of: ({ reason }) => reason },
  { title: 'CODE', of: ({ code }) => code },
  { title: 'PURCHASE', of: ({ purchaseId }) => purchaseId },
  { title: 'AMOUNT', of: ({ amount }) => (amount === null ? null : moneyText(amount)), side: 'right' },
  { title: 'AGE', of: ({ since, recordedAt }) => ageText(since ?? recordedAt) },
  { title: 'ATTEMPTS', of: ({ attemptCount }) => attemptCount, side: 'right', isWide: true },
  { title: 'RECORDED', of: ({ recordedAt }) => recordedAt, isWide: true },
  { title: 'OCCURRED', of: ({ occurredAt }) => occurredAt, isWide: true },
  { title: 'EVENT', of: ({ eventType }) => eventType, isWide: true },
  { title: 'SOURCE', of: ({ source }) => source, isWide: true },
  { title: 'STORE', of: ({ storeId }) => storeId, isWide: true },
  { title: 'RECORD', of: ({ cause }) => `${cause.topic}/${cause.partition}@${cause.offset}`, isWide: true },
  { title: 'FINGERPRINT', of: ({ fingerprint }) => fingerprint, isWide: true },
];

export const intentsSource: ListSource<IntentView> = {
  path: '/intents',
  download: '/intents/download',
  keys: intentKeys,
  pages: pagedList,
  since: 'from',
  columns: intentColumns,
  nameOf: ({ id }) => id,
};

/** The query that shows a group's intents, as `--query` takes it. */
const groupQuery = ({ query }: GroupView): string => queryText(query);

/** How many came in the last hours, the newest last, such as `3 0 12`. */
function hoursText({ hours }: GroupView): string {
  return hours.map(({ intents }) => intents).join(' ');
}

const namesShown = 2;

/** `all of store hamburg`, `hamburg 31, berlin 4, ...`: from where those came that were looked at. */
function whereText({ common, intents }: GroupView): string | null {
  const [kind, named] = common.stores.length > 0 ? ['store', common.stores] : ['source', common.sources];
  const [most] = named;
  if (most === undefined) return null;
  const all = common.intents < intents ? `the newest ${common.intents} all` : 'all';
  if (most.intents === common.intents) return `${all} of ${kind} ${most.name}`;
  const shown = named.slice(0, namesShown).map(({ name, intents: count }) => `${name} ${count}`);
  return [...shown, ...(named.length > namesShown ? ['...'] : [])].join(', ');
}

export const groupsSource: ListSource<GroupView> = {
  path: '/groups',
  keys: {},
  pages: wholeList,
  since: ({ lastAt }) => lastAt,
  columns: [
    { title: 'INTENTS', of: ({ intents }) => intents, side: 'right' },
    { title: 'MEMBERS', of: ({ members }) => members, side: 'right' },
    { title: 'AT STAKE', of: ({ money }) => moneysText(money), side: 'right' },
    { title: 'STATUS', of: ({ status }) => status, colour: ({ status }) => statusColour(status) },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'CODE', of: ({ code }) => code },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'OPERATION', of: ({ operation }) => operation },
    { title: 'LAST', of: ({ lastAt }) => ageText(lastAt) },
    { title: 'WHERE', of: whereText },
    { title: 'PARTNER SAYS', of: ({ wording }) => wording },
    { title: 'FIRST', of: ({ firstAt }) => ageText(firstAt), isWide: true },
    { title: 'BY HOUR', of: hoursText, isWide: true },
    { title: 'QUERY', of: groupQuery, isWide: true },
  ],
  nameOf: groupQuery,
};

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
      'Or, where it is not there and must not be sent either:',
      `loyaltyd cancel intent '${id}' --not-delivered --reason "…"`,
    ];
  }
  const commands = ['replay', 'correct', 'cancel'].map((verb) => `loyaltyd ${verb} intent '${id}' --reason "…"`);
  return commands.map((command) => (command.includes('correct') ? `${command} --patch FILE` : command));
}

/** What the partner said of what is parked; null: nothing, or nothing that may be shown. */
async function partnerSays(client: ApiClient, { program, status, fingerprint }: IntentDetails): Promise<string | null> {
  if (status !== 'parked' || fingerprint === null) return null;
  const { items } = (await client.get('/groups')) as GroupList;
  const group = items.find((one) => one.program === program && one.fingerprint === fingerprint);
  return group?.wording ?? 'masked: fewer than five members were told the same';
}

function head(intent: IntentDetails, says: string | null): readonly Field[] {
  const { id, program, memberId, operation, status, reason, code, since, amount, purchaseId, isErased } = intent;
  const { eventType, source, storeId, occurredAt, recordedAt, cause, fingerprint } = intent;
  return [
    ['Intent', id],
    ['Status', reason === null ? status : `${status}: ${reason}`],
    ['Since', timeText(since)],
    ['Last code', code],
    ['Partner says', says],
    ['Fingerprint', fingerprint],
    ['Member', `${program}/${memberId}${isErased ? ' (erased)' : ''}`],
    ['Operation', operation],
    ['Amount', amount === null ? null : moneyText(amount)],
    ['Purchase', purchaseId],
    ['Store', storeId],
    ['Source', source],
    ['Event', eventType],
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

function detailsText(intent: IntentDetails, says: string | null, paint: Paint): string {
  const { attempts, events, command, sourceRecord, status } = intent;
  return [
    painted(fields(head(intent, says)), status, paint),
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
export function describedIntent(id: string): Described<IntentDetails> {
  let says: string | null = null;
  return {
    load: async (client) => {
      const details = (await client.get(intentPath(id))) as IntentDetails;
      says = await partnerSays(client, details);
      return details;
    },
    text: (details, paint) => detailsText(details, says, paint),
    nameOf: (details) => details.id,
  };
}

export interface IntentAction {
  readonly id: string;
  readonly verb: 'replay' | 'cancel' | 'resolve';
  /** What the verb needs besides the reason. */
  readonly body?: Readonly<Record<string, string | boolean>>;
}

export interface RequeueFlags extends ActFlags {
  /** Although it was requeued often without success. */
  readonly force?: boolean;
}

/** How an intent stands after something was done to it. */
function statusText({ intent, overtaken }: IntentActionResult): string {
  const { id, status, reason } = intent;
  const now = safeLine(`${id} is ${status}${reason === null ? '' : `: ${reason}`}`);
  const later = overtaken === 0 ? '' : `${overtaken} later intents of its member had been settled before it\n`;
  return `${now}\n${later}`;
}

const actionView: OneView<IntentActionResult> = { text: statusText, nameOf: ({ intent }) => intent.id };

/** Has one intent sent again, cancelled or resolved. @returns the exit code */
export async function actOnIntent(terminal: Terminal, action: IntentAction, flags: RequeueFlags): Promise<number> {
  const { id, verb, body } = action;
  const force = flags.force === true ? { force: true } : {};
  await act(terminal, { path: `${intentPath(id)}/${verb}`, body: { ...body, ...force }, view: actionView }, flags);
  return exitOk;
}

export interface CorrectFlags extends ActFlags {
  /** Holds the whole command. */
  readonly file?: string;
  /** Holds what is to change in it. */
  readonly patch?: string;
}

type Change = IntentCorrectionResult['changes'][number];

function valueText(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : safeJson(value);
}

function changeText({ path, from, to }: Change): string {
  return `${safeLine(path)}: ${valueText(from)} -> ${valueText(to)}`;
}

function correctionText({ intent, changes, nextRequest }: IntentCorrectionResult): string {
  const changed = section('Changed', changes.map(changeText).join('\n'));
  return `${statusText({ intent, overtaken: 0 })}${changed}${requestText(nextRequest)}`;
}

async function contentOf(terminal: Terminal, { file, patch }: CorrectFlags): Promise<object> {
  if (file !== undefined && patch === undefined) return { command: await inputJson(terminal, file) };
  if (patch !== undefined && file === undefined) return { patch: await inputJson(terminal, patch) };
  throw wrongUsage('correct intent: --file with the whole command, or --patch with what is to change in it');
}

/** Gives an intent other content; the one before is kept, and nothing is sent. @returns the exit code */
export async function correctIntent(terminal: Terminal, id: string, flags: CorrectFlags): Promise<number> {
  const view = { text: correctionText, nameOf: ({ intent }: IntentCorrectionResult) => intent.id };
  const body = await contentOf(terminal, flags);
  await act(terminal, { path: `${intentPath(id)}/correct`, body, view }, flags);
  return exitOk;
}
