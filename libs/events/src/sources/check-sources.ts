import type { ProgramsFile } from '#contracts';

import { compileKey, compileMap } from '../mapping/compile-map.js';
import { MapError } from '../mapping/map-error.js';
import { isSourceEventName } from '../source-events.js';

/** What is wrong with the sources of a programs file besides its schema: each with its path, without values of the file. */
export function sourceProblems({ sources = {} }: ProgramsFile): string[] {
  return Object.entries(sources).flatMap(([name, { types, map, key }]) => [
    ...types
      .filter((type) => !isSourceEventName(type))
      .map((type) => `sources.${name}.types: ${type}: no such event type or version`),
    ...mapProblems(`sources.${name}.map`, map, compileMap),
    ...mapProblems(`sources.${name}.key`, key, compileKey),
  ]);
}

function mapProblems(path: string, text: string | null | undefined, compile: (text: string) => unknown): string[] {
  if (text === null || text === undefined) return [];
  try {
    compile(text);
    return [];
  } catch (error) {
    if (error instanceof MapError) return [`${path}: ${error.message}`];
    throw error;
  }
}
