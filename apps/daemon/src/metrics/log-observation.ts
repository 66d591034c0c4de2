import type { Observation } from '#delivery';
import type { Logger } from '#platform';
import { keyedDigest } from '#platform';

const memberTagDigits = 12;

/** A member in logs: a short keyed hash, the same in every line of one installation. */
export function memberTag(macKey: Uint8Array, member: { readonly program: string; readonly memberId: string }): string {
  return keyedDigest(macKey, JSON.stringify([member.program, member.memberId]))
    .toString('hex')
    .slice(0, memberTagDigits);
}

/** One wide line per attempt: all that is known about it, nothing personal. */
export function logObservation(logger: Logger, macKey: Uint8Array, observation: Observation): void {
  if (observation.kind === 'fenced') {
    logger.warn({ ...observation }, 'lane was taken over while its attempt was open');
    return;
  }
  if (observation.kind === 'auto-paused') {
    logger.error(
      { ...observation },
      'the partner refuses everybody: the operation is paused until a person resumes it',
    );
    return;
  }
  const { memberId, traceparent: _traceparent, ...fields } = observation;
  const line = { ...fields, member: memberTag(macKey, { program: observation.program, memberId }) };
  if (observation.kind === 'parked') logger.warn(line, 'intent parked');
  else if (observation.kind === 'resolved') logger.info(line, 'unknown outcome resolved');
  else if (observation.status === 'parked') logger.warn(line, 'attempt recorded, intent parked');
  else logger.info(line, 'attempt recorded');
}
