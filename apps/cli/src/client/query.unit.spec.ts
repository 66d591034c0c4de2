import {
  auditQuerySchema,
  INTENT_OPERATIONS,
  INTENT_STATUSES,
  intentQuerySchema,
  jobItemsQuerySchema,
  quarantineQuerySchema,
  replayQuerySchema,
} from '#contracts';

import { CommandFailure, exitUsage } from '../command-line/command-failure.js';
import { auditKeys, intentKeys, jobItemKeys, operations, parseQuery, quarantineKeys, replayKeys } from './query.js';

const keys = { status: ['parked', 'unknown'], program: null, store: null };

describe('--query', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['  ', {}],
    ['status=parked', { status: 'parked' }],
    ['status=parked,unknown', { status: 'parked,unknown' }],
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
    ['status=parked,lost', 'status is one of parked, unknown'],
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

function keysOf(schema: { readonly shape: object }): string[] {
  return Object.keys(schema.shape).filter((key) => key !== 'cursor' && key !== 'limit');
}

describe('the keys of queries', () => {
  it('are those of the operations API', () => {
    expect(Object.keys(intentKeys).sort()).toEqual(keysOf(intentQuerySchema).sort());
    expect(Object.keys(replayKeys).sort()).toEqual(keysOf(replayQuerySchema).sort());
    expect(Object.keys(auditKeys).sort()).toEqual(keysOf(auditQuerySchema).sort());
    expect(Object.keys(quarantineKeys)).toEqual(expect.arrayContaining(keysOf(quarantineQuerySchema)));
  });

  it('allow the values that the operations API allows', () => {
    expect(intentKeys.status).toEqual(INTENT_STATUSES);
    expect(operations).toEqual(INTENT_OPERATIONS);
    expect(jobItemKeys.state).toEqual(jobItemsQuerySchema.shape.state.unwrap().options);
  });
});
