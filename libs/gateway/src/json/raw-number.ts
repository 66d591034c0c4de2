/** TypeScript does not know it yet: a text that `JSON.stringify` writes as it stands. Part of Node since 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** An id for a body: beyond 2^53 it is text here, and still a number there. */
export function rawNumber(id: number | string): unknown {
  return typeof id === 'number' ? id : rawJSON(id);
}
