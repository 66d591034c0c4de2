/** The one reader of JSON from outside. A door of its own: it loads no schemas, which take longer than a command's start may. */
export { isExactAsFloat, isSameNumber } from './exact-number.js';
export { readExactJson, readExactJsonText } from './read-exact-json.js';
export type { ExactJson, ReadExactJson } from './read-exact-json.js';
export {
  apiDepthMax,
  decodeUtf8,
  exceedsDepth,
  jsonDepthMax,
  lossyPaths,
  nestsDeeper,
  readJson,
  readJsonText,
} from './read-json.js';
export type { Reviver } from './read-json.js';
