import type { Answer } from '../api/api-types.js';

/** One intent with its whole story, as the API tells it. */
export type Intent = Answer<'/intents/{id}'>;
export type IntentEvent = Intent['events'][number];
export type Attempt = Intent['attempts'][number];

const parkedMeanings: Readonly<Record<string, string>> = {
  'unknown-outcome': 'It was sent, and no evidence could be had whether it took effect. Look at the partner first.',
  rejected: 'The partner refused it. The same refusal comes again until its cause is mended.',
  exhausted: 'The partner answered "not applied" too often, or for too long. It did not take effect.',
  'missing-pass':
    'The member got no pass in the time that the program allows. It is sent by itself when an enrolment brings one.',
  'not-a-member':
    'Its member had left the program, or it changes a card and its member never enrolled. It is not sent; consent that it withdraws binds a later card.',
  'missing-purchase':
    'Its purchase was cancelled, is not delivered, or is not known. It comes back with a purchase of its member; else replay it once that is delivered.',
  'over-refund':
    'It asks for more than is left of its receipt. Two systems may have told of one return. It is sent only where a person replays it.',
  expired:
    'It was good until a certain time, and was not sent by then. It comes back each time unless it is corrected.',
  held: 'Such calls are held: by a person, or because the partner fails them all. It comes back by itself when they are not; the member’s other work goes on.',
  conflict: 'Another record contradicts it. Find out which of the two is right, then replay or cancel it.',
  unroutable: 'No call of the partner can carry it. Do it there by hand and cancel this, or complete the program.',
  'card-replaced':
    'The card before this one is gone at the partner, with what was on it. Put that on the new card there by hand, then settle this.',
  'not-delivered':
    'By the partner’s list it is not there: nothing is in doubt, and nothing was sent since. Replay it, or cancel it.',
  merged: 'No call of the partner merges two members. Do it there by hand, then cancel this.',
  erased: 'The member was erased. It may have taken effect before, or can no longer be opened.',
};

/** Why it needs a person, and what they would do. */
export const parkedMeaning = (reason: string | null): string =>
  parkedMeanings[reason ?? ''] ?? 'It was set aside, and waits for a person.';

const codeMeanings: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  reset: 'the connection broke',
  truncated: 'the answer broke off',
  malformed: 'the answer could not be read',
  'connection-refused': 'nobody took the connection',
  'connect-timeout': 'the connection was not taken in time',
  'dns-failure': 'the partner’s name was not found',
  'tls-failure': 'no secure connection could be made',
  'no-token': 'the partner gave us no token',
  duplicate: 'it has one with that value already',
  'no-such-pass': 'it knows no such pass',
  'shared-pass': 'it showed the card of another member',
  'invalid-request': 'it could not read the request',
  forgotten: 'a lost history may have sent it',
};

/** `reset, the connection broke`. */
export function codeText(code: string | null): string | null {
  if (code === null) return null;
  const meaning = codeMeanings[code];
  return meaning === undefined ? code : `${code}, ${meaning}`;
}

const phaseMeanings: Readonly<Record<string, string>> = {
  'not-sent': 'Nothing of it was sent: the partner cannot have seen it.',
  sent: 'It was sent, and no whole answer came back.',
  answered: 'The answer was read completely.',
};

export const phaseText = (phase: string | null): string | null =>
  phase === null ? null : (phaseMeanings[phase] ?? phase);

export const textIn = (data: IntentEvent['data'], name: string): string | null => {
  const value = data[name];
  return typeof value === 'string' ? value : null;
};

export const numberIn = (data: IntentEvent['data'], name: string): number | null => {
  const value = data[name];
  return typeof value === 'number' ? value : null;
};

/** Times in an event's data are epoch milliseconds. */
export function timeIn(data: IntentEvent['data'], name: string): string | null {
  const value = numberIn(data, name);
  return value === null ? null : new Date(value).toISOString();
}
