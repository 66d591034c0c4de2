import { FrameSplitter } from './wire.js';

const frame = (text: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeInt32BE(text.length);
  return Buffer.concat([size, Buffer.from(text)]);
};

describe('a frame splitter', () => {
  it('puts frames together however the bytes arrive', () => {
    const bytes = Buffer.concat([frame('one'), frame(''), frame('three')]);
    for (let step = 1; step <= bytes.length; step += 1) {
      const splitter = new FrameSplitter();
      const found: string[] = [];
      for (let start = 0; start < bytes.length; start += step) {
        found.push(...splitter.push(bytes.subarray(start, start + step)).map(String));
      }
      expect(found).toEqual(['one', '', 'three']);
    }
  });

  it.each([-1, 0x7fffffff])('refuses a frame of %i bytes', (size) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(size);
    expect(() => new FrameSplitter().push(bytes)).toThrow(RangeError);
  });
});
