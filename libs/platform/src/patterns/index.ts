/** Judges patterns before they meet what others write. A door of its own: nothing else of the platform is loaded by it. */
export { judgePattern } from './judge-pattern.js';
export type { PatternBounds } from './judge-pattern.js';
