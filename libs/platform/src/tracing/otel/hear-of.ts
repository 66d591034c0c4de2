import type { DiagLogger } from '@opentelemetry/api';

import { errorName } from '../../errors/error-code.js';
import type { Logger } from '../../logging/logger.js';

/** A collector that is away is told of once in a while, not with every batch. */
const complaintPauseMs = 60_000;

/** What the SDK has to say, of which most could quote a value: only this is passed on. */
export interface Ears {
  readonly exportFailed: (error: unknown) => void;
  readonly diagnostics: DiagLogger;
}

function codeOf(error: unknown): string | number | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

/** Adds up what is told once in a while. @returns the sum when it is time to tell it, else null */
function addUp(monotonic: () => number): (count: number) => number | null {
  let toldAt = -Infinity;
  let sum = 0;
  return (count) => {
    sum += count;
    if (monotonic() - toldAt < complaintPauseMs) return null;
    const told = sum;
    toldAt = monotonic();
    sum = 0;
    return told;
  };
}

/** Tells that spans were lost by names and numbers only: what a collector answers may quote what it was sent. */
export function hearOf(logger: Logger, monotonic: () => number = () => performance.now()): Ears {
  const [addExports, addSpans] = [addUp(monotonic), addUp(monotonic)];
  const ignore = (): void => undefined;
  return {
    exportFailed: (error) => {
      const exports = addExports(1);
      if (exports === null) return;
      logger.warn({ error: errorName(error), code: codeOf(error), exports }, 'traces were not exported');
    },
    diagnostics: {
      ...{ verbose: ignore, debug: ignore, info: ignore, error: ignore },
      warn: (message) => {
        const dropped = /^Dropped (\d+) spans/.exec(message)?.[1];
        const spans = dropped === undefined ? null : addSpans(Number(dropped));
        if (spans !== null) logger.warn({ spans }, 'spans were dropped: more ended than were exported');
      },
    },
  };
}
