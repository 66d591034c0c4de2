import { hostname } from 'node:os';

import type { Environment } from '#contracts';
import { giveSign, leaveProcess, processSignMs } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop } from '#platform';

import type { ProgramsHolder } from '../programs/programs-holder.js';
import type { Storage } from './storage.js';

const hostLengthMax = 255;

/** Writes down that this process is there, with its roles and its programs file, until it is stopped. */
export function openProcessSigns(
  processId: string,
  { roles }: Environment,
  tools: { readonly storage: Storage; readonly programs: ProgramsHolder; readonly logger: Logger },
): BackgroundLoop {
  const { database, clock, random } = tools.storage;
  const host = hostname().slice(0, hostLengthMax);
  const startedAt = clock.now();
  return new BackgroundLoop({
    workOnce: async () => {
      const { hash: programsHash } = tools.programs.current;
      await giveSign(database, { processId, host, roles, programsHash, startedAt }, clock.now());
      return processSignMs;
    },
    // Where the database is away, others take us for gone by themselves.
    close: () => leaveProcess(database, processId).catch(() => undefined),
    complaint: 'this process could not be written down as alive',
    ...{ clock, random, logger: tools.logger },
  });
}
