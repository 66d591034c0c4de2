import { droppedAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The connection breaks and nothing takes effect. */
export const dropBefore: FaultKind = {
  kind: 'drop-before',
  async around() {
    return droppedAnswer;
  },
};
