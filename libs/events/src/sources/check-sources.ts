import type { DeclaredSource, ProgramsFile } from '#contracts';

import { compileKey, compileMap } from '../mapping/compile-map.js';
import { MapError } from '../mapping/map-error.js';
import { isSourceEventName } from '../source-events.js';

/** Why a format cannot be read here; null: it can. */
export type JudgeFormat = (format: string) => string | null;

/**
 * What is wrong with the sources of a programs file besides its schema: each with its path, without values of the file.
 * @param judgeFormat absent: formats are not judged here
 */
export function sourceProblems({ sources = {} }: ProgramsFile, judgeFormat: JudgeFormat = () => null): string[] {
  return Object.entries(sources).flatMap(([name, source]) =>
    [
      ...typeProblems(source),
      ...formatProblems(source, judgeFormat),
      ...mapProblems('map', source.map, compileMap),
      ...mapProblems('key', source.key, compileKey),
    ].map((problem) => `sources.${name}.${problem}`),
  );
}

const typeProblems = ({ types }: DeclaredSource): string[] =>
  types.filter((type) => !isSourceEventName(type)).map((type) => `types: ${type}: no such event type or version`);

function formatProblems({ format }: DeclaredSource, judgeFormat: JudgeFormat): string[] {
  const problem = format === 'cloudevents' ? null : judgeFormat(format);
  return problem === null ? [] : [`format: ${problem}`];
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
