const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

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
    else if (opening.has(byte)) depthMax = Math.max(depthMax, (depth += 1));
    else if (closing.has(byte)) depth -= 1;
  }
  return depthMax;
}

function endOfString(json: Uint8Array, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}
