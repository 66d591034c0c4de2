import type { Answer } from '../api/api-types.js';
import { wordsOf } from './job-progress.js';

/** What a job has found, as the API tells it: of each kind of job its own members. */
export type Line = Answer<'/jobs/{id}/lines'>['items'][number];

const named = ['kind', 'line', 'memberId', 'intent', 'isKnown'];

/** Kinds of lines whose words do not tell it by themselves. */
export const kindWords: Readonly<Record<string, string>> = {
  'missing-there': 'missing there',
  'missing-here': 'missing here',
  differing: 'differs',
  'unknown-member': 'never seen',
  'duplicate-there': 'further pass',
  'without-member-id': 'no id of ours',
  'another-pass': 'another pass',
  'twice-in-page': 'listed twice',
  'would-settle': 'would settle',
  'known-by-place': 'known by its place',
  'known-by-identity': 'known by its identity',
  aside: 'in quarantine already',
  'too-old': 'too old',
  'ignored-before': 'was ignored, is made otherwise now',
};

/** Said first, without their names. */
const bare = ['action', 'result', 'name', 'detail', 'warning', 'code', 'message'];
/** Where it stands is of less interest than what it is. */
const last = ['path', 'step', 'content', 'request'];
const partNames: Readonly<Record<string, string>> = { paths: 'in', passId: 'pass' };

const placeOf = (name: string): number => {
  const at = bare.indexOf(name);
  if (at >= 0) return at;
  return bare.length + Math.max(0, last.indexOf(name) + 1);
};

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A step of a provisioning is about what it makes. */
export const isOfThing = (line: Line): boolean => line.memberId === undefined && typeof line.name === 'string';

/** What a line says besides its kind and whom it is about. */
export function restText(line: Line): string {
  return Object.entries(line)
    .filter(([name, value]) => !named.includes(name) && value !== null && !(name === 'name' && isOfThing(line)))
    .toSorted(([one], [two]) => placeOf(one) - placeOf(two))
    .map(([name, value]) => {
      const text = valueText(value);
      return bare.includes(name) ? text : `${partNames[name] ?? wordsOf(name)} ${text}`;
    })
    .join('; ');
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const strangers = ['unknown-member', 'without-member-id'];

/** There is no page of whom we never saw. */
export const isOfStranger = ({ kind, isKnown }: Line): boolean => isKnown === false || strangers.includes(textOf(kind));
