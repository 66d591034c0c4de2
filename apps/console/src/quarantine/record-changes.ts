import { isJsonObject } from './record-content.js';

export interface RecordChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly from: unknown;
  readonly to: unknown;
}

function kindOf(from: unknown, to: unknown): RecordChange['change'] {
  if (from === undefined) return 'added';
  return to === undefined ? 'removed' : 'changed';
}

const namesOf = (from: object, to: object): readonly string[] => [
  ...new Set([...Object.keys(from), ...Object.keys(to)]),
];

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const areAlike = (from: unknown, to: unknown): boolean =>
  (isJsonObject(from) && isJsonObject(to)) || (isList(from) && isList(to));

/** In what two JSON values differ, path by path. */
export function recordChanges(from: unknown, to: unknown, path = ''): readonly RecordChange[] {
  if (areAlike(from, to)) {
    const [before, after] = [from as Readonly<Record<string, unknown>>, to as Readonly<Record<string, unknown>>];
    return namesOf(before, after).flatMap((name) =>
      recordChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return Object.is(from, to) ? [] : [{ path, change: kindOf(from, to), from, to }];
}

/** What an operator may correct (docs/operations/access.md, "What takes an admin"). */
const freeFrame = ['time', 'subject', 'sequence', 'traceparent', 'specversion', 'datacontenttype', 'dataschema'];
const freeData = ['person', 'message', 'ipAddress', 'channel', 'storeId', 'reason', 'attributes'];
const freePass = ['seat', 'row', 'section', 'gate', 'profileImage'];
const freePaths: readonly string[] = [
  ...freeFrame,
  ...freeData.map((name) => `data.${name}`),
  ...freePass.map((name) => `data.pass.${name}`),
];

const isBelow = (path: string, top: string): boolean => path === top || path.startsWith(`${top}.`);

/** What of a correction takes an admin for sure; the programs file may add to it, which only the daemon knows. */
export function adminPaths(changes: readonly RecordChange[]): readonly string[] {
  return changes.map(({ path }) => path).filter((path) => !freePaths.some((free) => isBelow(path, free)));
}

/** These an operator may correct, unless the programs file makes of them what a purchase or a pass is known by. */
const identifying = ['data.person', 'data.storeId', 'data.channel', 'data.reason', 'data.attributes'];

export function perhapsAdminPaths(changes: readonly RecordChange[]): readonly string[] {
  return changes.map(({ path }) => path).filter((path) => identifying.some((top) => isBelow(path, top)));
}

export interface AdminNeeds {
  readonly surely: readonly string[];
  readonly perhaps: readonly string[];
}

/** Where what arrived cannot be read, all that is said now is new, and an admin's. */
export function adminNeeds(encoding: 'text' | 'masked' | 'batch', changes: readonly RecordChange[]): AdminNeeds {
  if (encoding !== 'text') return { surely: ['what arrived cannot be read, so that everything is new'], perhaps: [] };
  return { surely: adminPaths(changes), perhaps: perhapsAdminPaths(changes) };
}

/** A record that erases a member takes an admin also as it arrived. */
export function erasesMember(event: unknown): boolean {
  if (!isJsonObject(event) || !isJsonObject(event.data)) return false;
  return event.data.erase === true;
}
