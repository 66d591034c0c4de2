const polynomial = 0x82f63b78;
/** So many bytes are taken at once, by a table for each ("slicing by 8"). */
const slices = 8;

/** What a byte does to the sum that `slice` more bytes follow, at `slice * 256 + byte`. */
const table = buildTable();

function buildTable(): Int32Array {
  const built = new Int32Array(slices * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ polynomial;
    built[byte] = sum;
  }
  for (let index = 256; index < built.length; index += 1) {
    const before = built[index - 256] ?? 0;
    built[index] = (before >>> 8) ^ (built[before & 0xff] ?? 0);
  }
  return built;
}

function effectOf(byte: number, slice: number): number {
  return table[(slice << 8) | (byte & 0xff)] ?? 0;
}

/** CRC-32C (Castagnoli, RFC 3720 section 12.1), which record batches of format 2 carry. Node has only CRC-32. */
export function crc32c(bytes: Buffer): number {
  const whole = bytes.length - (bytes.length % slices);
  let sum = -1;
  for (let at = 0; at < whole; at += slices) {
    const low = sum ^ bytes.readInt32LE(at);
    const high = bytes.readInt32LE(at + 4);
    sum =
      effectOf(low, 7) ^
      effectOf(low >>> 8, 6) ^
      effectOf(low >>> 16, 5) ^
      effectOf(low >>> 24, 4) ^
      effectOf(high, 3) ^
      effectOf(high >>> 8, 2) ^
      effectOf(high >>> 16, 1) ^
      effectOf(high >>> 24, 0);
  }
  for (let at = whole; at < bytes.length; at += 1) sum = (sum >>> 8) ^ effectOf(sum ^ bytes.readUInt8(at), 0);
  return (sum ^ -1) >>> 0;
}
