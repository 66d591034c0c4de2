import type { QuarantineCorrection, Reviver } from '#contracts';
import { readJsonText } from '#contracts';
import type { Correction, DeadLetter } from '#intents';
import { isRawJson, rawJson } from '#platform';

import { isMask, isShownName, maskedText, refuseMasked } from '../masking/mask-personal.js';

type Arrived = Pick<DeadLetter, 'value' | 'headersText'>;
type Branch = Readonly<Record<string, unknown>>;

const keepWritten: Reviver = (_, value, { source }) =>
  typeof value === 'number' && source !== undefined ? rawJson(source) : value;

/** Numbers stay as they are written: beyond 2^53 they would lose digits. Undefined where it is no JSON, or nests too deep. */
export function exactJson(text: string): unknown {
  return readJsonText(text, { revive: keepWritten });
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value);
}

const maskedName = new RegExp(`^${maskedText}(\\d{1,7})$`);

/** A name that is shown masked carries its place among the names. */
function nameIn(arrived: Branch, name: string): string {
  const place = maskedName.exec(name)?.[1];
  const original = place === undefined ? undefined : Object.keys(arrived)[Number(place)];
  return original === undefined || isShownName(original) ? name : original;
}

/** As deep as what arrived, which is bounded. */
function kept(sent: unknown, arrived: unknown): unknown {
  if (isMask(sent)) return arrived === undefined ? sent : arrived;
  if (Array.isArray(sent)) {
    // One that is taken out or put in would give each behind it the values of another.
    const isAlike = Array.isArray(arrived) && arrived.length === sent.length;
    return isAlike ? sent.map((item, index) => kept(item, arrived[index])) : sent;
  }
  if (!isBranch(sent) || !isBranch(arrived)) return sent;
  const members = Object.entries(sent).map(([shown, value]): [string, unknown] => {
    const name = nameIn(arrived, shown);
    return [name, kept(value, Object.hasOwn(arrived, name) ? arrived[name] : undefined)];
  });
  return Object.fromEntries(members);
}

function keptValue(sent: string | Branch, { value }: Arrived): unknown {
  const isText = typeof sent === 'string';
  if (isText && !sent.includes(maskedText)) return sent;
  const document = isText ? exactJson(sent) : sent;
  const original = value === null ? undefined : exactJson(Buffer.from(value).toString('utf8'));
  return document === undefined ? sent : kept(document, original);
}

/**
 * A correction as it was sent, in the form in which it is kept. What stands there for a masked value (`•••`) is the value
 * that arrived at the same path; in a list as long as that list still has as many items.
 *
 * @throws {ApiProblem} where it stands at a path at which nothing arrived
 */
export function toCorrection(sent: QuarantineCorrection, arrived: Arrived): Correction {
  const headers = sent.headers === undefined ? undefined : kept(sent.headers, exactJson(arrived.headersText));
  const value = sent.value === undefined ? undefined : keptValue(sent.value, arrived);
  const key = isMask(sent.key) ? undefined : sent.key;
  refuseMasked({ key, headers, value });
  return {
    ...(key === undefined ? {} : { key }),
    ...(headers === undefined ? {} : { headersText: JSON.stringify(headers) }),
    ...(value === undefined ? {} : { value: typeof value === 'string' ? value : JSON.stringify(value) }),
  };
}
