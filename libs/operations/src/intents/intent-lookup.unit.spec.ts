import { intentId } from '#intents';

import { intentNames } from './intent-lookup.js';

describe("an intent's id in a path", () => {
  it.each(['m-1', 'a~b', 'a b/c', '100%', '%41', 'ä'])(
    'is understood as it is shown, and encoded once more: %s',
    (memberId) => {
      const name = { program: 'coffee-club', memberId, seq: 3 };
      const id = intentId(name);
      expect(intentNames(id)[0]).toEqual(name);
      expect(intentNames(encodeURIComponent(id))).toContainEqual(name);
    },
  );

  it.each(['', 'a~b', 'a~b~0', 'a~b~1.5', 'a~b~99999999999', '~b~1', 'a~~1', 'a~b~1~2', '%~%~1'])(
    'is not: %s',
    (text) => {
      expect(intentNames(text)).toEqual([]);
    },
  );
});
