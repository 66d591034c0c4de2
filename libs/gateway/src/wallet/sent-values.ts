/** What a duplicate refusal would have to mention: a value that was sent, or the name of its field. */
export interface SentValues {
  readonly values: readonly string[];
  readonly names: readonly string[];
}

/** Whether the message holds one of them as a whole word, whatever its case: `4` is not in `receipt 14`. */
export function mentionsSentValue(message: string, { values, names }: SentValues): boolean {
  const text = message.toLowerCase();
  return [...values, ...names].some((word) => holdsWord(text, word.toLowerCase()));
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

function holdsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + word.length);
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return true;
  }
  return false;
}
