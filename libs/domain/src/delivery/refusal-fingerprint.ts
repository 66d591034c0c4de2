/** Longest part of a message that tells refusals apart. */
const messageLengthMax = 200;

/** What differs from member to member: quoted values, addresses, ids and numbers. */
const values = /"[^"]*"|'[^']*'|`[^`]*`|\S+@\S+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\S*\d\S*/gi;

/**
 * Refusals that mean the same have the same fingerprint: the code and the message without what is the member's own. Not
 * fit for being shown or stored in the clear: a partner may write a name without quotes.
 */
export function refusalFingerprint(code: string, message: string): string {
  const wording = message.replace(values, '#').toLowerCase().replace(/\s+/g, ' ').trim();
  return `${code}: ${wording.slice(0, messageLengthMax)}`;
}
