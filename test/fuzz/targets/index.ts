import type { FuzzTarget } from '../fuzz-target.js';
import { commandFileTarget } from './command-file.js';
import { accessTokenTarget, providerDocumentTarget } from './identity-provider.js';
import { kafkaBatchTarget } from './kafka-batch.js';
import { outsideTextTarget } from './outside-text.js';
import { partnerAnswerTarget } from './partner-answer.js';
import { serviceAnswerTarget } from './service-answer.js';
import { dialectFileTarget, programsFileTarget } from './settings-files.js';
import { sourceMapTarget } from './source-map.js';
import { schemaTextTarget, sourceFormatTarget } from './source-format.js';
import { sourceRecordTarget } from './source-record.js';

/** Every target by its name, and how it is made ready. */
export const targets: Readonly<Record<string, () => FuzzTarget | Promise<FuzzTarget>>> = {
  'source-record': sourceRecordTarget,
  'source-map': sourceMapTarget,
  'source-format': sourceFormatTarget,
  'schema-text': schemaTextTarget,
  'programs-file': programsFileTarget,
  'dialect-file': dialectFileTarget,
  'partner-answer': partnerAnswerTarget,
  'access-token': accessTokenTarget,
  'provider-document': providerDocumentTarget,
  'service-answer': serviceAnswerTarget,
  'command-file': commandFileTarget,
  'outside-text': outsideTextTarget,
  'kafka-batch': kafkaBatchTarget,
  // Servers are started for these alone.
  'http-door': async () => (await import('./http-door.js')).httpDoorTarget(),
  'operations-api': async () => (await import('./operations-api.js')).operationsApiTarget(),
};
