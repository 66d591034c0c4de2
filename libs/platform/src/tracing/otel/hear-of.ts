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

/** Tells that spans were lost by names and numbers only: what a collector answers may quote what it was sent. */
export function hearOf(logger: Logger, monotonic: () => number = () => performance.now()): Ears {
  let toldAt = -Infinity;
  let exports = 0;
  const ignore = (): void => undefined;
  return {
    exportFailed: (error) => {
      exports += 1;
      if (monotonic() - toldAt < complaintPauseMs) return;
      logger.warn({ error: errorName(error), code: codeOf(error), exports }, 'traces were not exported');
      toldAt = monotonic();
      exports = 0;
    },
    diagnostics: {
      ...{ verbose: ignore, debug: ignore, info: ignore, error: ignore },
      warn: (message) => {
        const spans = /^Dropped (\d+) spans/.exec(message)?.[1];
        if (spans === undefined) return;
        logger.warn({ spans: Number(spans) }, 'spans were dropped: more ended than were exported');
      },
    },
  };
}
