import { parseProgramsFile } from '#contracts';
import { digest } from '#platform';

import type { LoadedPrograms } from '../daemon/loaded-programs.js';
import type { ProgramSketch } from './program-sketch.js';
import { programsText } from './program-sketch.js';

/** The programs files of a world: the whole one, and what it looks like with a program missing. */
export class ProgramsShelf {
  readonly whole: LoadedPrograms;

  constructor(private readonly sketches: readonly ProgramSketch[]) {
    this.whole = load(sketches);
  }

  without(name: string): LoadedPrograms {
    return load(this.sketches.filter((sketch) => sketch.name !== name));
  }
}

function load(sketches: readonly ProgramSketch[]): LoadedPrograms {
  const result = parseProgramsFile(programsText(sketches));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return { file: result.value, hash: digest(result.canonicalText) };
}
