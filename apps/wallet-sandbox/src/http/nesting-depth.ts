const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * How deep the arrays and objects of a JSON text nest, at most. Read from the bytes before they are parsed: what reads
 * a value later (Postgres, `JSON.stringify`) walks it by calling itself and would run out of stack.
 */
export function nestingDepth(json: Uint8Array): number {
  let depth = 0;
  let depthMax = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === quote) index = endOfString(json, index + 1);
    else depth += stepOf(byte);
    if (depth > depthMax) depthMax = depth;
  }
  return depthMax;
}

/** Every request's every byte comes by here. */
function stepOf(byte: number): number {
  if (byte === openBrace || byte === openBracket) return 1;
  return byte === closeBrace || byte === closeBracket ? -1 : 0;
}

function endOfString(json: Uint8Array, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}
