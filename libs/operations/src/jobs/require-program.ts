import type { ProgramsFile } from '#contracts';

import { refuseRequest } from '../requests/read-request.js';

/** @throws {ApiProblem} where the programs file in force has no such program */
export function requireProgram({ programs }: ProgramsFile, program: string): void {
  if (!Object.hasOwn(programs, program)) refuseRequest('program: the programs file has no such program');
}
