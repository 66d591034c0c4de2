import type { SendAs } from '#contracts';
import type { Correction, DeadLetter } from '#intents';

import { mergePatch, patchAs } from '../../../corrections/merge-patch.js';
import { exactJson } from '../../../quarantine/kept-values.js';
import { refuseRequest } from '../../../requests/read-request.js';
import type { Job } from '../../job-repository.js';
import { refusePersonal } from '../correct/correct-order.js';

/** What is one person's own of an event: said of many it makes no sense, and would stand with the job. */
const personalNames = ['memberId', 'person', 'message', 'ipAddress', 'metaData', 'absorbed'];

/** In structured mode below `data`, in binary mode, and in a source's own shape, at the top. @throws {ApiProblem} */
export function refusePersonalOfRecords(patch: unknown): void {
  refusePersonal(
    patch,
    personalNames.flatMap((name) => [[name], ['data', name]]),
  );
}

interface RecordChange {
  readonly patch?: Readonly<Record<string, unknown>>;
  readonly sendAs?: SendAs;
}

/**
 * What a job takes a record for instead of what arrived; null: it is taken as it arrived.
 * @throws {ApiProblem} where it cannot be changed so
 */
export function correctionOfRecord({ request }: Pick<Job, 'request'>, letter: DeadLetter): Correction | null {
  const { patch, sendAs } = request as RecordChange;
  if (patch === undefined && sendAs === undefined) return null;
  if (letter.lastOffset !== null) return refuseRequest('it is a whole record batch, which is taken in as it is');
  const text = letter.value === null ? '' : Buffer.from(letter.value).toString('utf8');
  const arrived = exactJson(text);
  if (arrived === undefined) return refuseRequest('its value is no JSON');
  const value = JSON.stringify(mergePatch(arrived, sendAs === undefined ? patch : patchAs(arrived, sendAs)));
  return value === JSON.stringify(arrived) ? null : { value };
}
