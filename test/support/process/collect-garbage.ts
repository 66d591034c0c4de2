import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects whatever nothing holds, at once: for who asks by a `WeakRef` whether something is held. How much memory there is
 * afterwards decides nothing in a test.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
