import { readJsonText } from '#contracts';

import { refuseRequest } from '../requests/read-request.js';

/** Stands where something personal was, with of what kind it was before it: `maskOf`. */
export const maskedText = '•••';

function kindOf(value: unknown): string {
  if (typeof value === 'string') return `text(${value.length})`;
  if (Array.isArray(value)) return 'list';
  return typeof value;
}

/** What is shown of something personal: `text(4) •••`, `number •••`. That it is a number where a text belongs may be what is wrong. */
export const maskOf = (value: unknown): string => `${kindOf(value)} ${maskedText}`;

const masks = new RegExp(`^(?:(?:text\\(\\d+\\)|list|object|number|boolean) )?${maskedText}$`);

/** Whether it stands for something masked, and is nothing else. */
export const isMask = (value: unknown): boolean => typeof value === 'string' && masks.test(value);

type Scalar = string | number | boolean;

/**
 * What of a document may be shown, path by path. Whatever has no shape is personal: unknown fields, and what is not of the
 * kind that its shape is for, such as an object where a text belongs.
 */
export interface Shape {
  /** What is shown of a text, a number or a boolean: itself, `maskOf` it, or the text with parts of it masked. */
  readonly scalar?: (value: Scalar) => Scalar;
  /** Of a text that holds JSON, as bodies are kept: of what it holds. Any other text is personal. */
  readonly json?: Shape;
  /** Of an object. A member that is not named is masked; its name is shown where it looks like one. */
  readonly members?: Readonly<Record<string, Shape>>;
  /** Of each item of a list. */
  readonly items?: Shape;
}

/** The same document, with everything masked that its shape does not let through. That there is nothing says nothing. */
export function mask(value: unknown, shape: Shape | undefined): unknown {
  if (value === null || value === undefined) return value;
  if (shape === undefined) return maskOf(value);
  if (typeof value === 'object') return maskNested(value, shape);
  if (shape.json !== undefined) return maskJson(value as Scalar, shape.json);
  return shape.scalar === undefined ? maskOf(value) : shape.scalar(value as Scalar);
}

function maskNested(value: object, { items, members }: Shape): unknown {
  if (Array.isArray(value)) return items === undefined ? maskOf(value) : value.map((item) => mask(item, items));
  return members === undefined ? maskOf(value) : maskMembers(value, members);
}

function maskJson(text: Scalar, shape: Shape): string {
  if (text === '') return text;
  const nested = typeof text === 'string' ? nestedJson(text) : undefined;
  const shown = nested === undefined ? maskOf(text) : mask(nested, shape);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

function maskMembers(object: object, members: Readonly<Record<string, Shape>>): object {
  const shown = Object.entries(object).map(([name, value], index): [string, unknown] => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    // Two names that are masked stay two members.
    return [isShownName(name) ? name : `${maskedText}${index}`, mask(value, member)];
  });
  return Object.fromEntries(shown);
}

const fieldName = /^[A-Za-z][\w.-]{0,63}$/;

/** Whether a name may be shown: it is no sentence, no number and no address, as a field of any name may have. */
export function isShownName(name: string): boolean {
  return fieldName.test(name);
}

/** Of an item in a list; a longer one could be a telephone's number. */
const itemNumber = /^\d{1,6}$/;

/** A name as a part of a path that is shown. */
export function shownName(name: string): string {
  return isShownName(name) || itemNumber.test(name) ? name : maskedText;
}

/** A scalar that is shown where it is what it should be. */
export function fitting(isFit: (value: Scalar) => boolean): Shape {
  return { scalar: (value) => (isFit(value) ? value : maskOf(value)) };
}

/** The object or list that a text holds as JSON; undefined where it holds none. */
export function nestedJson(text: string): object | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  return readJsonText(text) as object | undefined;
}

/** Paths that a refusal names, at most. */
const pathsMax = 10;

type Place = readonly [path: string, value: unknown];

function membersOf([path, value]: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member]);
}

function isCopied([path, value]: Place): boolean {
  // A member whose name is masked may hold nothing.
  return (typeof value === 'string' && value.includes(maskedText)) || (value === null && path.includes(maskedText));
}

/**
 * Where a value that was sent holds what stands for a masked one: copied from what we showed, it would be taken for
 * the value itself. The first ten paths, in their order.
 */
export function maskedPaths(sent: unknown): string[] {
  const found: string[] = [];
  const left: Place[] = [['', sent]];
  for (let place = left.pop(); place !== undefined && found.length < pathsMax; place = left.pop()) {
    if (isCopied(place)) found.push(place[0]);
    // One by one: a request may hold more members than a call takes arguments.
    for (const member of membersOf(place).reverse()) left.push(member);
  }
  return found;
}

/** @throws {ApiProblem} that names where what stands for masked values was sent as if it were one */
export function refuseMasked(sent: unknown): void {
  const paths = maskedPaths(sent);
  if (paths.length === 0) return;
  refuseRequest(
    `${paths.join(', ')}: ${maskedText} stands for a masked value and is none; say the value, or leave it out`,
  );
}
