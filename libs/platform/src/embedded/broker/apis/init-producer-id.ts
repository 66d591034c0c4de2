import { noThrottleMs, type Api } from '../api.js';
import { errorCode } from '../error-code.js';
import { WireWriter } from '../wire-writer.js';

const firstEpoch = 0;
let lastProducerId = 0;

/** Lets an idempotent producer work. Its repeats are not recognized: on loopback no answer is lost. */
export const initProducerId: Api = {
  key: 22,
  versions: [0, 1],
  handle: () => {
    lastProducerId += 1;
    return new WireWriter().int32(noThrottleMs).int16(errorCode.none).int64(lastProducerId).int16(firstEpoch);
  },
};
