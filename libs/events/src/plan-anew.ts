import type { Program, ProgramsFile } from '#contracts';
import type { EventPlanner, PartnerCommand, RecordedPlan, RoutedIntent, TransactionCommand } from '#intents/core';

import { headersOf } from './core/record-headers.js';
import type { SourceEvent } from './source-events.js';
import { decodeSourceRecord, routeSourceEvent } from './source-events.js';

type ProfileCommand = Exclude<PartnerCommand, { readonly operation: 'transaction' | 'reward' }>;

/** What the event would be recorded as now, the call that is taken for too late included; of this operation. */
function planOf(
  event: SourceEvent,
  programs: ProgramsFile,
  operation: PartnerCommand['operation'],
): PartnerCommand | null {
  const route = routeSourceEvent(event, programs);
  if (route.kind !== 'routed') return null;
  const late = route.cancels.map(({ ifTooLate }) => ifTooLate);
  const commands = [...route.intents, ...late].flatMap((intent: RoutedIntent | null) => intent?.command ?? []);
  const same = commands.filter((command) => command.operation === operation);
  return same.length === 1 ? (same[0] ?? null) : null;
}

function placed<Command extends PartnerCommand>(command: Command, program: Program): Command {
  const { brandId, programId, uniqueIdKey } = program;
  return { ...command, brandId, programId, uniqueIdKey };
}

/** Whose it is, and how much, was found out when it was recorded: a void takes back what was left then, from who got it. */
function plannedTransaction(recorded: TransactionCommand, planned: TransactionCommand): TransactionCommand {
  const { by: _by, ...rest } = planned;
  const { uniqueId, by } = recorded;
  const sign = planned.amount.startsWith('-') ? '-' : '';
  return { ...rest, uniqueId, ...(by !== undefined && { by }), amount: `${sign}${recorded.amount.replace('-', '')}` };
}

/** The key that carries the member id, under its name of now. */
function withIdUnder(key: string, { content, ...command }: ProfileCommand): ProfileCommand {
  const { passdata } = content;
  const { uniqueId, uniqueIdKey: old } = command;
  if (old === key || passdata?.metaData?.[old] !== uniqueId) return { ...command, content };
  const { [old]: _id, ...rest } = passdata.metaData;
  const metaData = { ...rest, [key]: uniqueId };
  return { ...command, content: { ...content, passdata: { ...passdata, metaData } } };
}

/** Of what a pass says only the ids of the partner's that the file maps: the rest was judged against what is newer. */
function plannedProfile(recorded: ProfileCommand, planned: PartnerCommand | null, program: Program): ProfileCommand {
  const own = withIdUnder(program.uniqueIdKey, recorded);
  const said = planned !== null && 'content' in planned ? planned : null;
  const ids = (['tierId', 'templateId'] as const).filter(
    (id) => typeof own.content[id] === 'number' && said?.content[id] !== undefined,
  );
  const content = { ...own.content, ...Object.fromEntries(ids.map((id) => [id, said?.content[id]])) };
  const workflowId = workflowOf(own, said, program);
  return { ...own, content, ...(workflowId !== null && { workflowId }) };
}

/** Null: it goes by none. */
function workflowOf(recorded: ProfileCommand, said: PartnerCommand | null, { update }: Program): string | null {
  if (!('workflowId' in recorded)) return null;
  if (said !== null && 'workflowId' in said) return said.workflowId;
  if (recorded.operation === 'update-via-workflow' && update.via === 'workflow') return update.workflowId;
  return recorded.workflowId;
}

/** As the store gives it back. */
function stored(command: PartnerCommand): PartnerCommand {
  return JSON.parse(JSON.stringify(command)) as PartnerCommand;
}

/**
 * What an intent would be recorded as by this programs file, had its event come now. Pure. Member, amount, date and what a
 * pass says stay: they were found out when it was recorded. So does what the file does not map any more.
 */
export function planAnew({ command, record, recordedAt }: RecordedPlan, programs: ProgramsFile): PartnerCommand {
  const { headers, value } = record;
  const decoded = decodeSourceRecord({ value: Buffer.from(value), headers: headersOf(headers), now: recordedAt });
  if (decoded.kind !== 'event') return command;
  const { event } = decoded;
  const { program: name } = event.data;
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  if (program === undefined) return command;
  const planned = planOf(event, programs, command.operation);
  return stored(placed(plannedBy(command, planned, program), program));
}

function plannedBy(command: PartnerCommand, planned: PartnerCommand | null, program: Program): PartnerCommand {
  switch (command.operation) {
    case 'transaction':
      return planned?.operation === 'transaction' ? plannedTransaction(command, planned) : command;
    case 'reward':
      return planned?.operation === 'reward' ? { ...planned, ...namedBy(command) } : command;
    case 'issue':
    case 'issue-via-workflow':
    case 'update-via-workflow':
    case 'schedule-update':
      return plannedProfile(command, planned, program);
  }
}

function namedBy({ uniqueId, by }: PartnerCommand): Pick<PartnerCommand, 'uniqueId' | 'by'> {
  return { uniqueId, ...(by !== undefined && { by }) };
}

/** @param programs in force now, and its hash in hex */
export function eventPlanner(programs: ProgramsFile, programsHash: string): EventPlanner {
  return { programsHash, plan: (recorded) => planAnew(recorded, programs) };
}
