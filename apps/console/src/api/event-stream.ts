/** One Server-Sent Event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** Of this event, or of the last one that had any. */
  readonly id: string;
}

/**
 * Reads the text of a stream of Server-Sent Events (WHATWG HTML, 9.2.6) piece by piece, wherever the pieces are cut.
 * `retry` is not read: how long to wait is the reader's own affair.
 */
export class EventStreamReader {
  private rest = '';
  private name = '';
  private data: string[] = [];
  private id = '';

  /** The events that this piece completes. */
  read(piece: string): readonly StreamEvent[] {
    // A line may end with CR LF, and a piece between the two.
    const text = this.rest + piece;
    const held = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, held).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + text.slice(held);
    return lines.flatMap((line) => this.readLine(line) ?? []);
  }

  private readLine(line: string): StreamEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.name = value;
    if (field === 'data') this.data.push(value);
    if (field === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }

  private dispatch(): StreamEvent | null {
    const { name, data, id } = this;
    this.name = '';
    this.data = [];
    return data.length === 0 ? null : { name: name === '' ? 'message' : name, data: data.join('\n'), id };
  }
}
