import { headersOf } from '#contracts';
import type { RouteRecord } from '#intents';

import type { RoutingPrograms } from '../loop/chunk-recorder.js';
import { prepareRecord } from './prepare-record.js';

/** Decodes and routes one record that was set aside as it would be if it came now, by the programs file in force. */
export function recordRouter(programs: () => RoutingPrograms): RouteRecord {
  return ({ source, original, cell, now }) => {
    const { file, hash } = programs();
    const { headersText, ...record } = original;
    const context = { source, programs: file, now, cell };
    const { verdict } = prepareRecord({ ...record, headers: headersOf(headersText) }, context);
    return { record: { original, verdict }, programsHash: hash };
  };
}
