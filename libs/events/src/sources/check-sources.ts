import type { ProgramsFile } from '#contracts';

import { isSourceEventName } from '../source-events.js';

/** What is wrong with the sources of a programs file besides its schema: each with its path, without values of the file. */
export function sourceProblems({ sources = {} }: ProgramsFile): string[] {
  return Object.entries(sources).flatMap(([name, { types }]) =>
    types
      .filter((type) => !isSourceEventName(type))
      .map((type) => `sources.${name}.types: ${type}: no such event type or version`),
  );
}
