/** Longest part of a refusal that is kept. */
export const wordsMax = 60;

const mask = '#';
const plainWord = /^\p{Ll}+[.,:;!?]*$/u;
const aroundWords = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/**
 * A refusal's message as it may be kept in the clear. What we sent holds nothing personal, but a partner may quote what
 * other passes hold: kept are plain lower-case words, and what we sent ourselves.
 */
export function maskedRefusal(message: string, sent: Readonly<Record<string, unknown>>): string {
  const ours = new Set(Object.entries(sent).flatMap(([key, value]) => wordsOf(`${key} ${String(value)}`)));
  const words = message.split(/\s+/).filter((word) => word !== '');
  const masked = words.slice(0, wordsMax).map((word) => (isHarmless(word, ours) ? word : mask));
  return words.length > wordsMax ? [...masked, '…'].join(' ') : masked.join(' ');
}

function isHarmless(word: string, ours: ReadonlySet<string>): boolean {
  return plainWord.test(word) || ours.has(bare(word));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).map(bare);
}

function bare(word: string): string {
  return word.replace(aroundWords, '').toLowerCase();
}
