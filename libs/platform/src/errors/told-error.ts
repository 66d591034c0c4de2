/**
 * An error whose message is ours from beginning to end: it may be logged and shown, for it never quotes a value.
 * Messages of other errors may quote what they choked on, so logs leave them out.
 */
export class ToldError extends Error {}
