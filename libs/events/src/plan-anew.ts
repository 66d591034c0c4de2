import type { Program, ProgramsFile } from '#contracts';
import type {
  EventPlanner,
  JsonObject,
  PartnerCommand,
  PassContent,
  ProfileMarks,
  RecordedPlan,
  RoutedIntent,
  TransactionCommand,
  UnmappedIntent,
} from '#intents/core';
import {
  addressedTo,
  commandOfAmount,
  commandOfSurvivor,
  isStale,
  lastEnrolment,
  mayBeStale,
  ofAmount,
  PERSON_FIELDS,
  profilePaths,
  stillSaid,
} from '#intents/core';
import { enrolmentAsUpdate } from '#members';

import { headersOf } from './core/record-headers.js';
import type { SourceEvent } from './source-events.js';
import { decodeSourceRecord, routeSourceEvent } from './source-events.js';

type ProfileCommand = Extract<PartnerCommand, { readonly content: PassContent }>;

type Planned = RoutedIntent & { readonly command: PartnerCommand };

/** What the event would be recorded as now, what is taken for too late included. */
function plannedIntents(event: SourceEvent, programs: ProgramsFile): Planned[] {
  const route = routeSourceEvent(event, programs);
  if (route.kind !== 'routed') return [];
  const late = route.cancels.flatMap(({ ifTooLate }) => ifTooLate ?? []);
  return [...route.intents, ...late].filter((intent): intent is Planned => intent.command !== null);
}

/** The one of this operation. */
function oneOf(intents: readonly Planned[], operation: PartnerCommand['operation']): Planned | null {
  const same = intents.filter(({ command }) => command.operation === operation);
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
  return commandOfAmount({ ...rest, uniqueId, ...(by !== undefined && { by }) }, recorded.amount.replace('-', ''));
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

/** What is known where a pass is planned anew. */
interface ProfilePlan {
  readonly program: Program;
  /** The names of a person's attributes of which nobody has ever said anything. */
  readonly isUnsaid: (attribute: string) => boolean;
}

const isDocumented = (name: string): boolean => PERSON_FIELDS.some((field) => field === name);

/**
 * The person with the attributes that the file maps, under its names. One that the event says and the recorded person does not
 * was either mapped by no file then, or overtaken: it is added where it stood under another name, or nobody has spoken of it.
 */
function plannedPerson(own: JsonObject = {}, said: JsonObject = {}, { program, isUnsaid }: ProfilePlan): JsonObject {
  const isMapped = (name: string): boolean => Object.hasOwn(program.personAttributes, name);
  const isLeft = (name: string): boolean => !isMapped(name) && !isDocumented(name);
  const renamed = Object.entries(own).flatMap(([name, value]) => (isLeft(name) ? [value] : []));
  const kept = Object.entries(own).filter(([name]) => !isLeft(name));
  const planned = kept.map(([name, value]) => [name, isMapped(name) ? (said[name] ?? value) : value] as const);
  const added = Object.entries(said).filter(
    ([name, value]) => isMapped(name) && !Object.hasOwn(own, name) && (renamed.includes(value) || isUnsaid(name)),
  );
  return Object.fromEntries([...planned, ...added]);
}

/** The tier's id of now, where it still says the tier; the template goes with that. */
function plannedIds(own: PassContent, said: PassContent): Partial<PassContent> {
  const hasTier = typeof own.tierId === 'number';
  const isWithoutTier = own.tierId === undefined && said.tierId === undefined;
  return {
    ...(hasTier && said.tierId !== undefined && { tierId: said.tierId }),
    ...((hasTier || isWithoutTier) && said.templateId !== undefined && { templateId: said.templateId }),
  };
}

/** What a pass says otherwise was judged against what is newer. */
function plannedContent(recorded: ProfileCommand, said: PassContent, plan: ProfilePlan): PassContent {
  const { person: own, ...rest } = recorded.content;
  const person = plannedPerson(own, said.person, plan);
  const content = { ...rest, ...plannedIds(recorded.content, said) };
  const whole = Object.keys(person).length === 0 ? content : { ...content, person };
  // What would say nothing any more stays what it was.
  return profilePaths({ ...recorded, content: whole }).length === 0 ? recorded.content : whole;
}

/** Of what a pass says only what the file maps: ids of the partner's, and attributes. */
function plannedProfile(recorded: ProfileCommand, planned: PartnerCommand | null, plan: ProfilePlan): ProfileCommand {
  const { program } = plan;
  const own = withIdUnder(program.uniqueIdKey, recorded);
  const said = planned !== null && 'content' in planned ? planned : null;
  const content = said === null ? own.content : plannedContent(own, said.content, plan);
  const workflowId = workflowOf(own, said, program);
  return { ...own, content, ...(workflowId !== null && { workflowId }) };
}

/** Of updates it is not told: what no file mapped when one was recorded is not in it. */
function unsaid(marks: ProfileMarks | null, timeMs: number, { personAttributes }: Program): ProfilePlan['isUnsaid'] {
  if (marks === null) return () => false;
  const mark = { source: null, sequence: null, timeMs };
  // Perhaps the same, by a name that no file knows any more.
  const isOtherName = (path: string): boolean =>
    path.startsWith(personPrefix) &&
    !isDocumented(path.slice(personPrefix.length)) &&
    !Object.hasOwn(personAttributes, path.slice(personPrefix.length));
  const isOvertaken = [lastEnrolment, ...[...marks.keys()].filter(isOtherName)].some((name) =>
    isStale(marks, name, mark),
  );
  return (attribute) => !isOvertaken && !marks.has(`${personPrefix}${attribute}`);
}

const personPrefix = 'person.';

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
 * pass says but for attributes and ids stay: they were found out when it was recorded.
 */
export function planAnew(recorded: RecordedPlan, programs: ProgramsFile): PartnerCommand {
  const { command, marks } = recorded;
  const read = readRecorded(recorded, programs);
  if (read === null) return command;
  const { event, program } = read;
  const intents = plannedIntents(event, programs);
  const own = oneOf(intents, command.operation);
  const renewals = intents.flatMap((intent) => renewalOf(intent, read) ?? []);
  const planned = (own ?? oneOf(renewals, command.operation))?.command ?? null;
  const plan = { program, isUnsaid: unsaid(own === null ? null : marks, event.timeMs, program) };
  return stored(placed(plannedBy(command, planned, plan), program));
}

/** Null: it is no event, or of no program, any more. */
function readRecorded(
  { record: { headers, value }, recordedAt }: Pick<RecordedPlan, 'record' | 'recordedAt'>,
  programs: ProgramsFile,
): ReadEvent | null {
  const decoded = decodeSourceRecord({ value: Buffer.from(value), headers: headersOf(headers), now: recordedAt });
  if (decoded.kind !== 'event') return null;
  const { event } = decoded;
  const { program: name } = event.data;
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  return program === undefined ? null : { event, program };
}

/**
 * The call of an intent that had none, by this programs file. Pure. Member and amount were found out when it was recorded: what
 * takes a sale back is its buyer's, and takes what was left.
 */
function planUnmapped(unmapped: UnmappedIntent, programs: ProgramsFile): PartnerCommand | null {
  const read = readRecorded(unmapped, programs);
  if (read === null) return null;
  const { amount } = unmapped;
  const planned = plannedIntents(withTotal(read.event, amount, read.program), programs);
  const updates = planned.flatMap((intent) => asUpdate(intent, read, unmapped.marks));
  const found = oneOf([...planned, ...updates], unmapped.operation);
  if (found === null) return null;
  const { command } = ownedBy(amount === null ? found : ofAmount(found, amount), unmapped.memberId, read.program);
  return command === null ? null : stored(command);
}

/** A void that names no total means what was left. */
function withTotal(event: SourceEvent, amount: string | null, { currency }: Program): SourceEvent {
  if (event.name !== 'loyalty.purchase.voided.v1' || event.data.total) return event;
  if (amount === null || currency === null) return event;
  const [whole = '', fraction = ''] = amount.split('.');
  const total = { minor: Number(`${whole}${fraction}`), currency, digits: fraction.length };
  return { ...event, data: { ...event.data, total } };
}

interface ReadEvent {
  readonly event: SourceEvent;
  readonly program: Program;
}

/** What an enrolment says, told to a pass that it has found; null: it is none, or the program maps no update. */
function renewalOf(intent: Planned, { event: { source, id }, program }: ReadEvent): Planned | null {
  const command = enrolmentAsUpdate(intent.command, { program, scheduledName: `loyaltyd ${source} ${id}` });
  return command === null ? null : { ...intent, command };
}

/** The same, as far as nothing newer was said since. */
function asUpdate(intent: Planned, read: ReadEvent, marks: ProfileMarks | null): Planned[] {
  const update = renewalOf(intent, read)?.command ?? null;
  if (update === null || marks === null) return [];
  const command = stillSaid(update, marks, (path, enrolled) => mayBeStale(marks, path, enrolled));
  return command === null ? [] : [{ ...intent, command }];
}

function ownedBy(intent: RoutedIntent, memberId: string, { lookup }: Program): RoutedIntent {
  const { memberId: named, command } = intent;
  if (named === memberId) return intent;
  if (command !== null && 'content' in command) {
    return { ...intent, memberId, command: commandOfSurvivor(command, { absorbed: named, survivor: memberId }) };
  }
  return addressedTo(intent, { memberId, isByEmail: lookup.by === 'email' });
}

function plannedBy(command: PartnerCommand, planned: PartnerCommand | null, plan: ProfilePlan): PartnerCommand {
  if ('content' in command) return plannedProfile(command, planned, plan);
  if (planned?.operation !== command.operation) return command;
  return command.operation === 'transaction' && planned.operation === 'transaction'
    ? plannedTransaction(command, planned)
    : { ...planned, ...namedBy(command) };
}

function namedBy({ uniqueId, by }: PartnerCommand): Pick<PartnerCommand, 'uniqueId' | 'by'> {
  return { uniqueId, ...(by !== undefined && { by }) };
}

/** @param programs in force now, and its hash in hex */
export function eventPlanner(programs: ProgramsFile, programsHash: string): EventPlanner {
  return {
    programsHash,
    plan: (recorded) => planAnew(recorded, programs),
    planUnmapped: (unmapped) => planUnmapped(unmapped, programs),
    sendsKept: (program) =>
      Object.hasOwn(programs.programs, program) && programs.programs[program]?.onRejoin === 'send',
  };
}
