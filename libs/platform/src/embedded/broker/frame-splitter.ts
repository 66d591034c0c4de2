/** `socket.request.max.bytes` of Kafka. */
const frameBytesMax = 104_857_600;
const sizeBytes = 4;

/** Cuts a stream of bytes into frames: an int32 size, then as many bytes. */
export class FrameSplitter {
  private pending: Buffer = Buffer.alloc(0);

  /** The frames that this chunk completes, without their sizes. Throws on a size that no client of ours sends. */
  push(chunk: Buffer): Buffer[] {
    let rest = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    const frames: Buffer[] = [];
    while (rest.length >= sizeBytes) {
      const size = rest.readInt32BE(0);
      if (size < 0 || size > frameBytesMax) throw new RangeError(`a frame of ${size} bytes`);
      if (rest.length < sizeBytes + size) break;
      frames.push(rest.subarray(sizeBytes, sizeBytes + size));
      rest = rest.subarray(sizeBytes + size);
    }
    this.pending = rest;
    return frames;
  }
}
