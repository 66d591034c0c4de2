/** A part of a path, or null where it is not percent-encoded as it should be. */
export function decodedPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
