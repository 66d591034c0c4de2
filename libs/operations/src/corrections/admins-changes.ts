import { isDeepStrictEqual } from 'node:util';

import type { Program, ProgramsFile, TransactionMapping } from '#contracts';
import { pathsOf } from '#contracts';
import type { PartnerCommand } from '#intents/core';
import type { UnvalidatedEvent } from '#events';
import { CORRECTABLE_DATA } from '#events';

import { shownName } from '../masking/mask-personal.js';
import { shownParts } from '../masking/shown-documents.js';
import type { CommandBase } from './revise-command.js';

/**
 * What an operator may correct, and by that what takes an admin: everything else. It lists what is harmless, not what is
 * dangerous, so that a field that nobody has thought of, or that could not be compared, is an admin's
 * (docs/decisions/0058). Compared is what ingest and delivery read, never text: another mode, prefix, order or spelling of
 * the same is no change, and hides none.
 */

type Path = readonly string[];

/** What an operator may change: what is below a `free` path and has nothing to do with a `guarded` one. */
interface Freedom {
  readonly free: readonly Path[];
  readonly guarded: readonly Path[];
}

/** Paths that a refusal names, at most, and how much of each. */
const pathsShownMax = 20;
const pathCharsMax = 128;

/** When it happened, what orders and traces it. Its id and source are what it is known by: another is a second event. */
const freeFrame = ['specversion', 'subject', 'time', 'sequence', 'traceparent', 'datacontenttype', 'dataschema'];
const freeOfEvents: readonly Path[] = [
  ...freeFrame.map((name) => [name]),
  ...Array.from(CORRECTABLE_DATA, (path) => ['data', ...path.split('.')]),
];

const freeOfCommands: readonly Path[] = [
  ['transactionDate'],
  ['offset'],
  ...['person', 'message', 'ipAddress'].map((name) => ['content', name]),
  ...['seat', 'row', 'section', 'gate', 'profileImage'].map((name) => ['content', 'passdata', name]),
];

function isBelow(path: Path, top: Path): boolean {
  return top.every((step, index) => path[index] === step);
}

function isFree(path: Path, { free, guarded }: Freedom): boolean {
  return free.some((top) => isBelow(path, top)) && !guarded.some((one) => isBelow(path, one) || isBelow(one, path));
}

type Branch = Readonly<Record<string, unknown>>;

/** What is absent has no members either. */
function branchOf(value: unknown): Branch | null {
  if (value === undefined) return {};
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Branch) : null;
}

function memberOf(branch: Branch, name: string): unknown {
  return Object.hasOwn(branch, name) ? branch[name] : undefined;
}

/** Where two JSON values differ: objects member by member, a list as a whole. Absent is not null. */
function* differences(before: unknown, after: unknown, path: Path = []): Generator<Path> {
  const [old, now] = [branchOf(before), branchOf(after)];
  if (old === null || now === null) {
    if (!isDeepStrictEqual(before, after)) yield path;
    return;
  }
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  if (names.size === 0 && (before === undefined) !== (after === undefined)) yield path;
  for (const name of names) yield* differences(memberOf(old, name), memberOf(now, name), [...path, name]);
}

/** Names of free fields may be anything, and go into the trace. */
function textOf(path: Path): string {
  return path.map(shownName).join('.').slice(0, pathCharsMax);
}

function shownPaths(paths: Iterable<Path>): string[] {
  const texts = [...new Set(Array.from(paths, textOf))];
  const more = texts.length - pathsShownMax;
  return more > 0 ? [...texts.slice(0, pathsShownMax), `${more} more`] : texts;
}

function transactionsOf({ purchases }: Program): TransactionMapping[] {
  return Object.values(purchases).flatMap((mapping) => (mapping?.via === 'transaction' ? [mapping] : []));
}

/** What a purchase is known by, here and at the partner: another value is another purchase. */
function identifyingPaths(program: Program): Path[] {
  const unique = transactionsOf(program).flatMap(({ attributes, uniqueAttribute }) => {
    const source = uniqueAttribute === null ? undefined : attributes[uniqueAttribute];
    return source === undefined ? [] : pathsOf(source);
  });
  return [...program.purchaseKey, ...program.grantKey, ...unique].map((path) => ['data', ...path]);
}

/** Where passes are looked up by what is known of the person, that is whose pass it is. */
function namesPass({ lookup }: Program): boolean {
  return lookup.by !== 'unique_id';
}

function freedomOfEvents(program: Program | null): Freedom {
  if (program === null) return { free: freeOfEvents, guarded: [['data']] };
  const person = namesPass(program) ? [['data', 'person']] : [];
  return { free: freeOfEvents, guarded: [...identifyingPaths(program), ...person] };
}

/** Unset is written in several ways. The type counts by what it means. */
function comparable(said: UnvalidatedEvent | null): Branch {
  if (said === null) return {};
  const { attributes, name, data } = said;
  const set = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return { ...Object.fromEntries(set), ...(name === null ? {} : { type: name }), data };
}

function programOf({ programs }: ProgramsFile, said: UnvalidatedEvent | null): Program | null {
  const name = memberOf(branchOf(said?.data) ?? {}, 'program');
  return typeof name === 'string' && Object.hasOwn(programs, name) ? (programs[name] ?? null) : null;
}

/**
 * What a correction of a record changes that takes an admin, by path, never by value.
 * @param arrived null where nothing is known of what it said: all that is said now is new
 */
export function adminsEventChanges(
  arrived: UnvalidatedEvent | null,
  taken: UnvalidatedEvent | null,
  programs: ProgramsFile,
): string[] {
  const freedom = freedomOfEvents(programOf(programs, taken));
  // A number that lost digits may equal the one that takes its place, and is another.
  const lost = (arrived?.lossy ?? []).map((path) => path.map(String));
  const changed = [...differences(comparable(arrived), comparable(taken)), ...lost];
  return shownPaths(changed.filter((path) => !isFree(path, freedom)));
}

/** What the programs file fills from what an operator may correct; the unique one is what a sale is known by. */
function isFreeAttribute(name: string, mapping: TransactionMapping, events: Freedom): boolean {
  const source = Object.hasOwn(mapping.attributes, name) ? mapping.attributes[name] : undefined;
  if (source === undefined) return true;
  const paths = pathsOf(source);
  return (
    name !== mapping.uniqueAttribute && paths.length > 0 && paths.every((path) => isFree(['data', ...path], events))
  );
}

/** Also those that are taken away and that no event would be given any more: the partner does not know them. */
function freeAttributes(before: CommandBase, after: PartnerCommand, program: Program): Path[] {
  if (after.operation !== 'transaction') return [];
  const events = freedomOfEvents(program);
  const mappings = transactionsOf(program).filter((mapping) => mapping.transactionTypeId === after.transactionTypeId);
  const mapped = new Set(mappings.flatMap(({ attributes }) => Object.keys(attributes)));
  const isGone = (name: string): boolean => mappings.length > 0 && !Object.hasOwn(after.attributes, name);
  const forgotten = Object.keys(attributesOf(before)).filter((name) => !mapped.has(name) && isGone(name));
  const free = [...mapped].filter((name) => mappings.every((mapping) => isFreeAttribute(name, mapping, events)));
  return [...free, ...forgotten].map((name) => ['attributes', name]);
}

function attributesOf(command: CommandBase): object {
  return 'attributes' in command ? command.attributes : {};
}

function uniqueOf(command: CommandBase): Path[] {
  const name = 'uniqueAttribute' in command ? command.uniqueAttribute.name : undefined;
  return name === undefined ? [] : [['attributes', name]];
}

/** What a correction of an intent changes that takes an admin, by path, never by value. */
export function adminsCommandChanges(before: CommandBase, after: PartnerCommand, program: Program): string[] {
  const isNamed = namesPass(program) || before.by !== undefined;
  const freedom: Freedom = {
    free: [...freeOfCommands, ...freeAttributes(before, after, program)],
    guarded: [...uniqueOf(before), ...uniqueOf(after), ...(isNamed ? [['content', 'person']] : [])],
  };
  return shownPaths([...differences(shownParts(before), shownParts(after))].filter((path) => !isFree(path, freedom)));
}
