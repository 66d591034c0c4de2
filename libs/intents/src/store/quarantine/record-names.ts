import { readJsonText } from '#contracts';
import { keyedDigest } from '#platform';

import { personDigest } from './person-digests.js';

/** By what somebody may look for a record that was set aside. Personal. */
export interface RecordNames {
  /** The ids of members that it names. */
  readonly members: readonly string[];
  /** Its own numbers: of the event, the purchase, the refund, the grant. */
  readonly numbers: readonly string[];
}

type Branch = Readonly<Record<string, unknown>>;

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a structured CloudEvent carries as bytes (`data_base64`), as text; empty where it carries none. */
export function encodedIn(value: unknown): string {
  const base64 = isBranch(value) ? value['data_base64'] : undefined;
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('utf8') : '';
}

/**
 * Who the record says it is about: in the data of a structured CloudEvent, at the top of a binary one. What has its data twice is
 * no event, and may be about two.
 */
export function namedIn(value: unknown, encoded: string): readonly Branch[] {
  if (!isBranch(value)) return [];
  const { data } = value;
  const found = [isBranch(data) ? data : null, readJsonText(encoded)].filter(isBranch);
  return found.length === 0 ? [value] : found;
}

/** Names of one kind that are kept of a record, and characters of one: a longer one is no id of ours. */
const namesMax = 32;
const nameCharsMax = 256;

/** A till may write a number where text belongs; that may be why the record was refused. */
function nameOf(value: unknown): readonly string[] {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return [];
  const name = text.trim();
  return name === '' || name.length > nameCharsMax ? [] : [name];
}

/** Stores and programs are nobody's own number. */
const shared: ReadonlySet<string> = new Set(['memberId', 'storeId', 'groupId', 'tierId']);

function numbersIn(data: Branch): readonly string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    if (name === 'original' && isBranch(value)) return numbersIn(value);
    return name.endsWith('Id') && !shared.has(name) ? nameOf(value) : [];
  });
}

function eventIdIn(value: unknown, headersText: string): readonly string[] {
  const headers = readJsonText(headersText);
  const inHeaders = isBranch(headers) ? nameOf(headers['ce_id']) : [];
  return isBranch(value) ? [...inHeaders, ...nameOf(value['id'])] : inHeaders;
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].slice(0, namesMax);

/** @param record as it arrived, or the event that a map has made of it. Where it names no member its key may, as producers send it. */
export function namesOfRecord(record: {
  readonly key: Uint8Array | null;
  readonly text: string;
  readonly headersText: string;
}): RecordNames {
  const { key, text, headersText } = record;
  const value = readJsonText(text);
  const named = namedIn(value, encodedIn(value));
  const said = named.flatMap(({ memberId, absorbed }) => [memberId, ...listIn(absorbed)]);
  const members = said.flatMap(nameOf);
  const numbers = [...eventIdIn(value, headersText), ...named.flatMap(numbersIn)];
  const keyNames = members.length > 0 || key === null ? [] : nameOf(Buffer.from(key).toString('utf8'));
  return { members: distinct([...members, ...keyNames]), numbers: distinct(numbers) };
}

/** By the installation's key: nobody finds the number by it, and who knows the number finds the record. */
export function numberDigest(macKey: Uint8Array, number: string): Buffer {
  return keyedDigest(macKey, `number of a record ${number.normalize('NFC')}`);
}

/** Of each name once, however many there are. */
export function nameDigests(macKey: Uint8Array, { members, numbers }: RecordNames): readonly Buffer[] {
  return [
    ...members.map((member) => personDigest(macKey, member)),
    ...numbers.map((number) => numberDigest(macKey, number)),
  ];
}
