import { AnswerReader } from './load-connection.js';

const answer = (status: string, body: string): Buffer =>
  Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nx-a: b\r\n\r\n${body}`);

describe('reading answers from a socket', () => {
  it('takes one that arrives at once, and the next one', () => {
    const reader = new AnswerReader();
    expect(reader.push(answer('200 OK', '{"a":1}'))).toEqual({ status: 200, body: '' });
    expect(reader.push(answer('400 Bad Request', '{"message":"no"}'))).toEqual({
      status: 400,
      body: '{"message":"no"}',
    });
    expect(reader.push(answer('200 OK', ''))).toEqual({ status: 200, body: '' });
  });

  it('takes one byte by byte, and counts bytes, not letters', () => {
    const reader = new AnswerReader();
    const bytes = [...answer('404 Not Found', 'für ä')].map((byte) => reader.push(Buffer.from([byte])));
    expect(bytes.slice(0, -1).every((each) => each === null)).toBe(true);
    expect(bytes.at(-1)).toMatchObject({ status: 404 });
  });

  it('refuses what it does not understand', () => {
    const chunked = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    expect(() => new AnswerReader().push(chunked)).toThrow('content-length');
    expect(() => new AnswerReader().push(Buffer.concat([answer('200 OK', 'a'), Buffer.from('b')]))).toThrow(
      'more bytes',
    );
  });
});
