import type { Native } from '../native.js';
import { amounts } from './amounts.js';
import { identity } from './identity.js';
import { lists } from './lists.js';
import { phones } from './phones.js';
import { texts } from './texts.js';
import { times } from './times.js';

const natives = new Map(
  [...texts, ...lists, ...amounts, ...times, ...phones, ...identity].map((native) => [native.name, native]),
);

export function nativeNamed(name: string): Native | undefined {
  return natives.get(name);
}

const elsewhere: readonly (readonly [names: string, why: string])[] = [
  ['now millis', 'says something else at each reading: use a time of the record, or $record.timestamp'],
  ['random shuffle', 'says something else at each reading'],
  ['eval', 'is not taken: a map is judged before it runs'],
  ['sum', 'computes in floats: use $total(list)'],
  ['max min average', 'computes in floats: use $compare(a, b)'],
  ['number parseInteger', 'makes floats: use $int, $decimal or $minor'],
  ['floor ceil round abs sqrt power', 'computes in floats: use $add, $subtract, $times, $negate'],
  ['formatNumber formatBase formatInteger', 'writes floats: a number of a record is its text already'],
  ['toMillis fromMillis', 'is not taken: use $time(value, zone)'],
  ['sort', 'is not taken: numbers of a record are text, and lists keep their order'],
  ['boolean', 'is not taken: say what is meant, as in $exists(x), x = true'],
  ['type', 'is not taken: numbers of a record are text'],
  ['clone zip', 'is not taken: write the object that is meant'],
  [
    'base64encode base64decode encodeUrl encodeUrlComponent decodeUrl decodeUrlComponent',
    'is not taken: what is coded is no text of a shop',
  ],
];

const refused = new Map(elsewhere.flatMap(([names, why]) => names.split(' ').map((name) => [name, why] as const)));

/** Why a function of JSONata is none here. */
export function whyRefused(name: string): string | undefined {
  return refused.get(name);
}
