import { CommandFailure } from '../../command-line/command-failure.js';
import { exitUsage } from '../../command-line/exit-codes.js';
import { parseQuery } from './parse-query.js';

const keys = { status: ['parked', 'unknown'], program: null, store: null };

describe('--query', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['  ', {}],
    ['status=parked', { status: 'parked' }],
    [' status=parked \t program=coffee-club ', { status: 'parked', program: 'coffee-club' }],
    ['program="coffee club" store=\'a "b"\'', { program: 'coffee club', store: 'a "b"' }],
    ['program="a \\"b\\" \\\\"', { program: 'a "b" \\' }],
    ['program=a=b', { program: 'a=b' }],
    ["program=it's", { program: "it's" }],
  ])('reads %j', (text, query) => {
    expect(parseQuery(text, keys)).toEqual(query);
  });

  it.each([
    ['status', 'key=value'],
    ['=x', 'key=value'],
    ['status=', 'key=value'],
    ['program="a', 'key=value'],
    ['program="a"b', 'key=value'],
    ['program=""', 'no value'],
    ['status=lost', 'status is one of parked, unknown'],
    ['colour=red', 'none of status, program, store'],
    ['toString=x', 'none of status, program, store'],
    ['program=a program=b', 'twice'],
  ])('refuses %j as wrong usage', (text, message) => {
    const refused = (): unknown => parseQuery(text, keys);
    expect(refused).toThrow(CommandFailure);
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ exitCode: exitUsage }) as Error);
  });
});
