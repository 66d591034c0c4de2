import { CommitWatch } from './commit-watch.js';

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

const startup = Buffer.from('0000000d00030000' + '7573657200', 'hex');
const statement = (name: string, text: string): Buffer => message('P', `${name}\0${text}\0\0\0`);
const bound = (name: string): Buffer =>
  Buffer.concat([message('B', `\0${name}\0\0\0`), message('E', '\0\0\0\0\0'), message('S', '')]);
const simple = (text: string): Buffer => message('Q', `${text}\0`);

function started(): CommitWatch {
  const watch = new CommitWatch();
  expect(watch.feed(startup)).toBe(false);
  return watch;
}

describe('watching for commits', () => {
  it('sees the COMMIT of a transaction, not what is in it', () => {
    const watch = started();
    const fed = ['BEGIN', 'INSERT INTO t VALUES (1)', 'COMMIT', 'SELECT 1'].map((text) => watch.feed(simple(text)));
    expect(fed).toEqual([false, false, true, false]);
  });

  it('sees a prepared statement that changes something by itself, also when it is used again', () => {
    const watch = started();
    expect(watch.feed(Buffer.concat([statement('w', 'UPDATE t SET a = 1'), bound('w')]))).toBe(true);
    expect(watch.feed(Buffer.concat([statement('r', 'SELECT 1'), bound('r')]))).toBe(false);
    expect([watch.feed(bound('w')), watch.feed(bound('r'))]).toEqual([true, false]);
  });

  it('does not take a statement within a transaction for a commit', () => {
    const watch = started();
    watch.feed(statement('w', 'UPDATE t SET a = 1'));
    expect([simple('BEGIN'), bound('w'), simple('ROLLBACK'), bound('w')].map((bytes) => watch.feed(bytes))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('goes on after a rollback to a savepoint, which ends nothing', () => {
    const watch = started();
    const texts = ['BEGIN', 'SAVEPOINT a', 'ROLLBACK TO SAVEPOINT a', 'COMMIT'];
    expect(texts.map((text) => watch.feed(simple(text)))).toEqual([false, false, false, true]);
  });

  it('follows messages however they are cut', () => {
    const watch = new CommitWatch();
    const bytes = Buffer.concat([
      startup,
      simple('BEGIN'),
      statement('w', 'DELETE FROM t'),
      bound('w'),
      simple('COMMIT'),
    ]);
    const seen = [...bytes].map((byte) => watch.feed(Buffer.from([byte])));
    expect(seen.indexOf(true)).toBe(bytes.length - 1);
  });
});
