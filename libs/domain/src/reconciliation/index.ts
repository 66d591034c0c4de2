export { differingPaths } from './differing-paths.js';
export { expectedPass } from './expected-pass.js';
export type { ExpectedPass, SentContent } from './expected-pass.js';
