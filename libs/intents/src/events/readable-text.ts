/** Text as Postgres can hold it: no U+0000, no lone surrogates; each becomes U+FFFD. */
export function readableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
