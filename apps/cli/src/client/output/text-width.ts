const none = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const narrow = /^[\u0020-\u02ff]*$/;

function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  return Array.from(text).reduce((sum, character) => sum + widthOf(character), 0);
}

/** A text that takes at least so many columns. */
export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return side === 'left' ? `${text}${space}` : `${space}${text}`;
}
