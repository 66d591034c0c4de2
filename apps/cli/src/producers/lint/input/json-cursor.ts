const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

export function closes(byte: number): boolean {
  return closing.has(byte);
}

/**
 * Where one stands in JSON text: how deep, and whether within a string. Byte by byte, so that text of any length can be
 * cut into values without holding it; text that is not JSON leads to cuts somewhere.
 */
export class JsonCursor {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** Nothing is open here. */
  get isOutside(): boolean {
    return this.depth <= 0 && !this.isInString;
  }

  step(byte: number): void {
    if (this.isInString) this.stepInString(byte);
    else if (byte === quote) this.isInString = true;
    else if (opening.has(byte)) this.depth += 1;
    else if (closing.has(byte)) this.depth -= 1;
  }

  private stepInString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.isInString = false;
  }
}
