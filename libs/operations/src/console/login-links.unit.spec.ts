import { LoginLinks } from './login-links.js';

const minuteMs = 60_000;
const codeBytes = 70;

describe('a link that logs somebody in', () => {
  let now: number;
  const clock = { now: () => now };
  const key = Buffer.alloc(32, 7);
  /** As who prints the address has them, and as the daemon has. */
  let printed: LoginLinks;
  let served: LoginLinks;

  beforeEach(() => {
    now = Date.parse('2026-11-21T12:00:00.000Z');
    printed = new LoginLinks({ key, token: 'not-here', clock });
    served = new LoginLinks({ key, token: 'the-token', clock });
  });

  it('is exchanged for the token once', () => {
    const code = printed.make();
    expect(code).toMatch(/^[\w-]+$/);
    expect(printed.make()).not.toBe(code);
    expect([served.redeem(code), served.redeem(code), served.redeem(`${code}=`)]).toEqual(['the-token', null, null]);
    expect(served.redeem(printed.make())).toBe('the-token');
  });

  it('works for ten minutes', () => {
    const [used, early, late] = [printed.make(), printed.make(), printed.make()];
    expect(served.redeem(used)).toBe('the-token');
    now += 10 * minuteMs - 1;
    expect(served.redeem(early)).toBe('the-token');
    now += 1;
    expect([served.redeem(late), served.redeem(used)]).toEqual([null, null]);
  });

  it('is of this run alone', () => {
    const others = new LoginLinks({ key: Buffer.alloc(32, 8), token: 'the-token', clock });
    expect(others.redeem(printed.make())).toBeNull();
  });

  it.each([0, 1, 31, 32, 37, 38, 50, codeBytes - 1])(
    'is none where byte %d is another, or the end is missing',
    (at) => {
      const code = Buffer.from(printed.make(), 'base64url');
      expect(code).toHaveLength(codeBytes);
      const other = Buffer.from(code);
      other.writeUInt8((other.readUInt8(at) + 1) % 256, at);
      const cut = code.subarray(0, at);
      expect([other, cut].map((bytes) => served.redeem(bytes.toString('base64url')))).toEqual([null, null]);
      expect(served.redeem(code.toString('base64url'))).toBe('the-token');
    },
  );

  it.each(['', 'a', 'not base64 at all \u{1f600}', 'x'.repeat(256)])('is not %j', (code) => {
    expect(served.redeem(code)).toBeNull();
  });

  it('is one of sixteen within ten minutes: no more are remembered', () => {
    for (let count = 0; count < 16; count += 1) expect(served.redeem(printed.make())).toBe('the-token');
    expect(served.redeem(printed.make())).toBeNull();
    now += 10 * minuteMs;
    expect(served.redeem(printed.make())).toBe('the-token');
  });
});
