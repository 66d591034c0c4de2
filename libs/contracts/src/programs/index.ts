export type * from './program.js';
export type * from './provision.js';
export { parseProgramsFile } from './parse-programs-file.js';
export type { ProgramsContext, ProgramsResult } from './parse-programs-file.js';
export { PROGRAMS_FILE_EXAMPLE } from './programs-file-example.js';
