import { crc32c } from './checksum.js';

/** RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms. */
describe('CRC-32C', () => {
  it.each<[string, Buffer, number]>([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 times 0xff', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, at) => at)), 0x46dd794e],
    ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, at) => 31 - at)), 0x113fdb5c],
    ['123456789', Buffer.from('123456789'), 0xe3069283],
    ['nothing', Buffer.alloc(0), 0],
  ])('of %s', (_what, bytes, sum) => {
    expect(crc32c(bytes)).toBe(sum);
  });
});
