import fc from 'fast-check';
import jsonata from 'jsonata';

import { MapRefusal } from './map-error.js';
import { readMap } from './read-map.js';
import { Frame, MapRun } from './run-map.js';
import type { Value } from './values.js';

function ours(text: string, document: Value): unknown {
  const plain = new MapRun(document).evaluateMap(readMap(text), new Frame(null));
  return plain === undefined ? undefined : (JSON.parse(JSON.stringify(plain)) as unknown);
}

/** What JSONata itself says; it throws where it has no answer, or has changed what it was asked of. */
async function theirs(text: string, document: unknown): Promise<unknown> {
  const given = structuredClone(document);
  const value = (await jsonata(text).evaluate(given)) as unknown;
  if (JSON.stringify(given) !== JSON.stringify(document)) throw new Error('the document was changed');
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

const name = fc.constantFrom('a', 'b', 'c', 'items');
const document = fc.letrec<{ value: Value; object: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('x', 'y', '', '5', '59.99', true, false, null),
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Value>,
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

const texts = fc.constantFrom('"x"', '"5"', '"y"', 'null');
const truth = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.tuple(inner, fc.constantFrom('=', '!=', 'in'), inner).map(([one, by, other]) => `(${one} ${by} ${other})`),
    inner.map((each) => `$exists(${each})`),
    fc.constantFrom('true', 'false'),
  );

/** What a map may say, in ways that JSONata has an answer for. */
const expression = fc.letrec<{ any: string; path: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    name,
    texts,
    fc.constantFrom('$', '$$', '$$.items', '*', '$v'),
    tie('path'),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(tie('any'), { maxLength: 3 })
      .map((items) => `{${items.map((item, at) => `"f${at}": ${item}`).join(', ')}}`),
    fc.tuple(truth(tie('any')), tie('any'), tie('any')).map(([test, then, other]) => `(${test} ? ${then} : ${other})`),
    fc.tuple(truth(tie('any')), tie('any')).map(([test, then]) => `(${test} ? ${then})`),
    fc.tuple(tie('any'), tie('any')).map(([value, other]) => `(${value} ?? ${other})`),
    fc.tuple(tie('any'), tie('any')).map(([bound, then]) => `($v := ${bound}; ${then})`),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => `$append(${one}, ${other})`),
    tie('any').map((each) => `$count(${each})`),
    tie('any').map((each) => `$reverse(${each})`),
    tie('any').map((each) => `$distinct(${each})`),
    tie('any').map((each) => `$keys(${each})`),
    // Not a call as the last of it, which JSONata passes on as it is: a list of none, or of one.
    fc.tuple(tie('any'), tie('any')).map(([list, body]) => `$map(${list}, function($v){ {"r": ${body}} })`),
    fc.tuple(tie('any'), truth(tie('any'))).map(([list, test]) => `$filter(${list}, function($v){ ${test} })`),
    fc.tuple(tie('any'), tie('any')).map(([given, body]) => `(function($v){ {"r": ${body}} })(${given})`),
  ),
  path: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(tie('any'), tie('any')).map(([from, step]) => `(${from}).(${step})`),
    fc.tuple(name, tie('any')).map(([from, step]) => `${from}.(${step})`),
    fc.tuple(name, name).map(([from, step]) => `${from}.${step}`),
    fc
      .tuple(name, name, fc.constantFrom('[0]', '[-1]', '[1]', '[]', '[[0, 1]]'))
      .map((parts) => `${parts[0]}.${parts[1]}${parts[2]}`),
    fc.tuple(name, truth(tie('any')), name).map(([from, test, step]) => `${from}[${test}].${step}`),
    fc.tuple(name, tie('any')).map(([from, field]) => `${from}.{"f": ${field}}`),
    fc.tuple(name, tie('any')).map(([from, field]) => `${from}.[${field}]`),
    fc.tuple(name, tie('any')).map(([from, field]) => `${from}{"k": ${field}}`),
    fc.tuple(tie('any'), fc.constantFrom('[0]', '[]', '[-1]')).map(([from, at]) => `(${from})${at}`),
  ),
}));

describe('a map', () => {
  it('means what it means to JSONata, of which it is a part', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(expression.any, document.object, async (text, input) => {
        let expected: unknown;
        let said: unknown;
        try {
          expected = await theirs(text, input);
          said = ours(text, input);
        } catch (error) {
          // What JSONata has no answer for, and what we refuse, is not compared.
          if (error instanceof MapRefusal || !(error instanceof TypeError)) return;
          throw error;
        }
        compared += 1;
        expect(said).toEqual(expected);
      }),
      { numRuns: 3_000, seed: 43 },
    );
    expect(compared).toBeGreaterThan(1_500);
  });
});
