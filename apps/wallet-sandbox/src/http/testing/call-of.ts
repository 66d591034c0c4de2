import { chooseWording } from '../../contract/wordings.js';
import type { Call } from '../call.js';

/** A call as the first program of the default seed gets one, but for what is given. */
export function callOf(given: Partial<Call> = {}): Call {
  return {
    operation: 'issue',
    requestId: 'request-1',
    arrivedAt: 0,
    origin: 'http://127.0.0.1:4010',
    brandId: '101',
    programId: '2001',
    targetId: '',
    wording: chooseWording(0),
    enforceUnique: true,
    ...given,
  };
}
