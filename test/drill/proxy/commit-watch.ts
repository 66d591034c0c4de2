/** Frontend messages of the Postgres protocol, by their first byte. */
const query = 0x51; // Q
const parse = 0x50; // P
const bind = 0x42; // B
const sync = 0x53; // S

const typedHeadBytes = 5;
const startupHeadBytes = 4;
/** Enough of a message to tell a statement by; the rest is only counted. */
const textBytesMax = 4_096;

const changes = /\b(?:INSERT|UPDATE|DELETE)\b/i;
const begins = /^\s*(?:BEGIN|START TRANSACTION)\b/i;
const commits = /^\s*(?:COMMIT|END)\b/i;
const rollsBack = /^\s*ROLLBACK\s*;?\s*$/i;

/**
 * Follows what a client tells a Postgres server, and notices each message after which the server commits something: an
 * explicit COMMIT of a transaction, and the end of a statement that changes something outside of one.
 */
export class CommitWatch {
  private rest: Buffer = Buffer.alloc(0);
  private isStarted = false;
  private inTransaction = false;
  private hasChanged = false;
  private readonly changing = new Map<string, boolean>();

  /** Whether a commit is completed by these bytes. */
  feed(bytes: Buffer): boolean {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    let isCommit = false;
    for (let size = this.nextSize(); size !== null && this.rest.length >= size; size = this.nextSize()) {
      const message = this.rest.subarray(0, size);
      this.rest = this.rest.subarray(size);
      if (this.isStarted) isCommit = this.read(message) || isCommit;
      // The first message has no type; one that asks for TLS is followed by another of its kind.
      else this.isStarted = size > 8;
    }
    return isCommit;
  }

  private nextSize(): number | null {
    if (!this.isStarted) return this.rest.length < startupHeadBytes ? null : this.rest.readUInt32BE(0);
    return this.rest.length < typedHeadBytes ? null : this.rest.readUInt32BE(1) + 1;
  }

  private read(message: Buffer): boolean {
    switch (message[0]) {
      case query:
        return this.simple(textOf(message));
      case parse: {
        const [name = '', text = ''] = textOf(message).split('\0');
        this.changing.set(name, changes.test(text));
        return false;
      }
      case bind: {
        const [, name = ''] = textOf(message).split('\0');
        this.hasChanged = this.changing.get(name) === true;
        return false;
      }
      case sync: {
        const isCommit = this.hasChanged && !this.inTransaction;
        this.hasChanged = false;
        return isCommit;
      }
      case undefined:
      default:
        return false;
    }
  }

  private simple(text: string): boolean {
    const isCommit = this.inTransaction ? commits.test(text) : changes.test(text);
    if (begins.test(text)) this.inTransaction = true;
    if (commits.test(text) || rollsBack.test(text.replace('\0', ''))) this.inTransaction = false;
    return isCommit;
  }
}

function textOf(message: Buffer): string {
  return message.toString('utf8', typedHeadBytes, Math.min(message.length, typedHeadBytes + textBytesMax));
}
