/** Longest text of a map. */
export const mapCharsMax = 65_536;
/** How deep the expressions of a map may nest. */
export const mapNestingMax = 150;
/** Evaluations, items and characters by the hundred that one record may take: the same on every machine. */
export const mapStepsMax = 1_000_000;
/** How deep evaluation may nest, functions that call themselves included. */
export const mapDepthMax = 300;
/** Longest text that a map may make. */
export const mapTextCharsMax = 262_144;
/** Longest text that a pattern of a map meets. */
export const patternTextCharsMax = 1_000;
/** Events that one record may become. */
export const eventsOfRecordMax = 50;
/** What the events of one record may hold, as JSON. */
export const eventsBytesMax = 1_048_576;
/** How deep lists and objects may nest: records do not nest deeper. */
export const valueDepthMax = 64;
export const tooDeep = `nests deeper than ${valueDepthMax}`;
