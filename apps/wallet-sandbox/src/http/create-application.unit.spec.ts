import { requestIdOf } from './create-application.js';

const ours = /^[\da-f-]{36}$/;

it.each([
  ['attempt-7', /^attempt-7$/],
  ['a b', /^a b$/],
  [undefined, ours],
  ['', ours],
  ['x'.repeat(201), ours],
  ['caf\u00e9', ours],
])('the id of a request that says %j', (given, id) => {
  expect(requestIdOf({ headers: given === undefined ? {} : { 'x-request-id': given } })).toMatch(id);
});
