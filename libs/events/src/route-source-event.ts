import type { ProgramsFile } from '#contracts';
import type { RouteResult } from '#intents/core';
import { ignored, nobody, quarantine } from '#intents/core';

import type { SourceEvent } from './event-types.js';
import { eventTypeOf } from './event-types.js';

/**
 * What a valid source event makes us owe the partner: contracts.md section 1, "Which partner call an event causes".
 * Pure and deterministic: the same event and file give the same result, on every replica and every attempt. Never
 * throws. `detail` of a quarantine names paths and rules, never a value.
 */
export function routeSourceEvent(event: SourceEvent, programs: ProgramsFile): RouteResult {
  const { program: name } = event.data;
  const memberId = event.data.memberId ?? nobody;
  const type = eventTypeOf(event.name);
  if (memberId === nobody && type.needsNoMember !== true) return ignored('no-member');
  const program = Object.hasOwn(programs.programs, name) ? programs.programs[name] : undefined;
  if (program !== undefined) return type.route({ event, memberId, program });
  return programs.unknownProgram === 'ignore'
    ? ignored('unknown-program')
    : quarantine('unknown-program', 'data.program: not in the programs file');
}
