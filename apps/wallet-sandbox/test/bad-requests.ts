import type { EndpointCase } from './every-endpoint.js';

/** One wrong version of an endpoint's good request. */
export interface BadRequest {
  readonly name: string;
  readonly target: string;
  /** Bytes or text as they are; null sends no body. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly contentType: string;
  /** What it must be answered with; `harmless`: anything but a server error. */
  readonly status: number | 'harmless';
}

type Json = Readonly<Record<string, unknown>>;

const json = 'application/json';
const megabyte = 1024 * 1024;

/** Every wrong version that can be told from the good request alone; a new endpoint needs nothing but its row. */
export function badRequests(endpoint: EndpointCase): BadRequest[] {
  return [...badPaths(endpoint), ...badQueries(endpoint), ...badBodies(endpoint)];
}

function badPaths({ target, body }: EndpointCase): BadRequest[] {
  const good = { body: body === undefined ? null : JSON.stringify(body), contentType: json };
  const [, path = ''] = target.split(' ');
  const segments = path.split('?')[0]?.split('/') ?? [];
  const lastId = segments.findLastIndex((segment) => /^\d+$/.test(segment));
  const withId = (id: string): string => target.replace(segments.join('/'), segments.with(lastId, id).join('/'));
  return [
    { ...good, name: 'an unknown id', target: withId('999999'), status: 404 },
    { ...good, name: 'an id that is no number', target: withId('toString'), status: 404 },
    { ...good, name: 'an id with a NUL', target: withId('%00'), status: 404 },
    { ...good, name: 'an id that is half a surrogate pair', target: withId('%ed%a0%80'), status: 'harmless' },
    { ...good, name: 'an id of 5,000 characters', target: withId('9'.repeat(5_000)), status: 404 },
    { ...good, name: 'an id that climbs', target: withId('..%2f101'), status: 404 },
    { ...good, name: 'an id that cannot be decoded', target: withId('%zz'), status: 400 },
    { ...good, name: 'an unknown brand', target: target.replace('/brands/101', '/brands/999'), status: 404 },
    { ...good, name: 'an empty brand', target: target.replace('/brands/101', '/brands/'), status: 404 },
    { ...good, name: 'a wrong method', target: target.replace(/^\w+/, 'DELETE'), status: 404 },
    {
      ...good,
      name: 'a path behind the path',
      target: target.replace(segments.join('/'), `${segments.join('/')}/more`),
      status: 404,
    },
  ];
}

function badQueries({ operation, target, body }: EndpointCase): BadRequest[] {
  const good = { body: body === undefined ? null : JSON.stringify(body), contentType: json };
  const [bare = '', query = ''] = target.split('?');
  const also = (more: string): string => `${bare}?${query === '' ? '' : `${query}&`}${more}`;
  const given = [...new URLSearchParams(query).keys()];
  // Nobody need fit the filters of a schedule yet.
  const status = operation === 'schedule-update' ? 'harmless' : 400;
  return [
    { ...good, name: 'an unknown parameter', target: also('colour=red'), status: 400 },
    { ...good, name: 'a parameter like __proto__', target: also('__proto__=x'), status: 400 },
    { ...good, name: 'a parameter like constructor', target: also('constructor=x'), status: 400 },
    { ...good, name: 'a parameter in brackets', target: also('unique_id[]=m_1'), status: 400 },
    ...given.flatMap((name): BadRequest[] => [
      { ...good, name: `${name} twice`, target: `${bare}?${name}=1&${name}=2`, status: 400 },
      { ...good, name: `an empty ${name}`, target: `${bare}?${name}=`, status: 400 },
      { ...good, name: `${name} with a NUL`, target: `${bare}?${name}=a%00b`, status: 400 },
      { ...good, name: `${name} that cannot be decoded`, target: `${bare}?${name}=%zz%`, status },
      { ...good, name: `${name} with half a surrogate pair`, target: `${bare}?${name}=%ed%a0%80`, status },
      { ...good, name: `a ${name} of 10,000 characters`, target: `${bare}?${name}=${'x'.repeat(10_000)}`, status },
    ]),
  ];
}

function badBodies({ target, body }: EndpointCase): BadRequest[] {
  if (target.startsWith('GET')) return [];
  const at = { target, contentType: json, status: 400 } as const;
  const whole = isJson(body) ? wrongProperties(target, body) : [];
  return [
    { ...at, name: 'JSON that ends early', body: '{"person":' },
    { ...at, name: 'JSON with a comment', body: '{} // done' },
    { ...at, name: 'a list', body: '[]' },
    { ...at, name: 'a text', body: '"text"' },
    { ...at, name: 'a number', body: '5' },
    { ...at, name: 'bytes that are not UTF-8', body: Uint8Array.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]) },
    { ...at, name: 'a property called __proto__', body: '{"__proto__":{"name":"x"}}' },
    { ...at, name: 'a property called constructor', body: '{"constructor":{"prototype":{"name":"x"}}}' },
    { ...at, name: 'arrays nested 500,000 deep', body: `${'['.repeat(500_000)}${']'.repeat(500_000)}` },
    { ...at, name: 'objects nested 100,000 deep', body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    { ...at, name: 'a body of a megabyte and a byte', body: 'x'.repeat(megabyte + 1), status: 413 },
    { ...at, name: 'JSON called text', body: '{}', contentType: 'text/plain', status: 415 },
    { ...at, name: 'XML', body: '<a/>', contentType: 'application/xml', status: 415 },
    { ...at, name: 'a form', body: 'a=b', contentType: 'application/x-www-form-urlencoded', status: 415 },
    { ...at, name: 'a content type that is none', body: '{}', contentType: 'json', status: 415 },
    ...whole,
  ];
}

function wrongProperties(target: string, body: Json): BadRequest[] {
  const at = { target, contentType: json } as const;
  const properties = leaves(body);
  return [
    { ...at, name: 'no body', body: null, status: 400 },
    { ...at, name: 'null', body: 'null', status: 400 },
    { ...at, name: 'an unknown property', body: JSON.stringify({ ...body, colour: 'red' }), status: 400 },
    ...properties.flatMap(({ path, value }): BadRequest[] => {
      const name = path.join('.');
      const put = (wrong: unknown): string => JSON.stringify(replaced(body, path, wrong));
      return [
        { ...at, name: `${name} of another type`, body: put(typeof value === 'string' ? [5] : 'five'), status: 400 },
        { ...at, name: `${name} that is an object`, body: put({ constructor: 1 }), status: 400 },
        { ...at, name: `${name} with a NUL`, body: put('a\0b'), status: 400 },
        { ...at, name: `${name} with half a surrogate pair`, body: put('a\ud800b'), status: 400 },
        { ...at, name: `${name} beyond every number`, body: put('@').replace('"@"', '1e400'), status: 400 },
        { ...at, name: `${name} as large as a number can be`, body: put(Number.MAX_VALUE), status: 'harmless' },
        { ...at, name: `${name} of 900,000 characters`, body: put('x'.repeat(900_000)), status: 'harmless' },
      ];
    }),
  ];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leaves(value: unknown, path: readonly string[] = []): Leaf[] {
  if (!isJson(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, property]) => leaves(property, [...path, name]));
}

function replaced(body: Json, [name = '', ...rest]: readonly string[], wrong: unknown): Json {
  const property = body[name];
  return { ...body, [name]: rest.length > 0 && isJson(property) ? replaced(property, rest, wrong) : wrong };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
