/** What commands make of the files that they are given: for whoever tries them with broken ones. */
export { CommandFailure } from './command-line/command-failure.js';
export { inputJson } from './command-line/terminal.js';
export type { Terminal } from './command-line/terminal.js';
export { lintFile } from './producers/lint/lint-records.js';
export { FileProblem } from './producers/lint/read-samples.js';
export { readSourceRecords } from './producers/samples/read-records.js';
export { SampleSources } from './producers/samples/source-of-sample.js';
export { loadPrograms } from './programs/load-programs.js';
