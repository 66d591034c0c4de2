const textFormat = 0;
const binaryFormat = 1;

/** Builds messages of PostgreSQL's frontend protocol (its documentation, section 55.7), one after the other. */
export class WireRequest {
  private buffer = Buffer.allocUnsafe(4_096);
  private at = 0;

  /** A simple query of any statements. */
  query(sql: string): this {
    return this.message('Q', () => this.text(sql));
  }

  /** Prepares a statement and asks what it will return. */
  parse(name: string, sql: string): this {
    this.message('P', () => this.text(name).text(sql).int16(0));
    this.message('D', () => this.byte('S').text(name));
    return this.sync();
  }

  /** Runs a prepared statement to its end. */
  run(name: string, values: readonly (string | Uint8Array | null)[]): this {
    this.message('B', () => {
      this.text('').text(name).int16(values.length);
      for (const value of values) this.int16(value instanceof Uint8Array ? binaryFormat : textFormat);
      this.int16(values.length);
      for (const value of values) this.value(value);
      this.int16(0);
    });
    this.message('E', () => this.text('').int32(0));
    return this.sync();
  }

  /** Everything so far; the builder is empty afterwards. */
  take(): Uint8Array {
    const bytes = this.buffer.subarray(0, this.at);
    this.at = 0;
    return bytes;
  }

  private sync(): this {
    return this.message('S', () => undefined);
  }

  private message(kind: string, body: () => unknown): this {
    this.byte(kind);
    const start = this.at;
    this.int32(0);
    body();
    this.buffer.writeInt32BE(this.at - start, start);
    return this;
  }

  private value(value: string | Uint8Array | null): void {
    if (value === null) {
      this.int32(-1);
      return;
    }
    const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.int32(length).need(length);
    if (typeof value === 'string') this.buffer.write(value, this.at);
    else this.buffer.set(value, this.at);
    this.at += length;
  }

  private text(text: string): this {
    const length = Buffer.byteLength(text);
    this.need(length + 1);
    this.buffer.write(text, this.at);
    this.buffer[this.at + length] = 0;
    this.at += length + 1;
    return this;
  }

  private byte(character: string): this {
    this.need(1);
    this.at = this.buffer.writeUInt8(character.charCodeAt(0), this.at);
    return this;
  }

  private int16(value: number): this {
    this.need(2);
    this.at = this.buffer.writeInt16BE(value, this.at);
    return this;
  }

  private int32(value: number): this {
    this.need(4);
    this.at = this.buffer.writeInt32BE(value, this.at);
    return this;
  }

  private need(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe((this.buffer.length + bytes) * 2);
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}
