const idBytes = 12;

/** Of a job's own making: asked for once more after a lost answer, the same job is found and no second one begun. */
export function newJobId(): string {
  // `crypto.randomUUID` is only there where the page came by TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(idBytes));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
