const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const lettersAtEnd = 4;

/** `2026-11-27-0152-k3fq`: says when it was planned, and is nobody else's. */
export function newReplayId(): string {
  const at = new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '');
  const bytes = crypto.getRandomValues(new Uint8Array(lettersAtEnd));
  return `${at}-${[...bytes].map((byte) => letters[byte % letters.length]).join('')}`;
}
