/** Postgres keeps no text with U+0000, so that nothing of ours is called so. */
const nul = '\u0000';

/** A part of a path, or null where it is not percent-encoded as it should be, or names nothing that could be kept. */
export function decodedPart(text: string): string | null {
  try {
    const part = decodeURIComponent(text);
    return part.includes(nul) ? null : part;
  } catch {
    return null;
  }
}
