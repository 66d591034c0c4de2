import type { FuzzTarget } from '../fuzz-target.js';
import { crashText, runTarget } from '../run-target.js';
import { operationsApiTarget } from './operations-api.js';

describe('the operations API, by its own document', () => {
  let target: FuzzTarget;

  beforeAll(async () => {
    target = await operationsApiTarget();
  });

  afterAll(() => target.close?.());

  it('breaks at nothing, says why it refuses, lets nobody do more than the role may, and shows nobody else a person', async () => {
    const report = await runTarget(target, { seed: 1, inputsMax: 400, msMax: 90_000 });
    expect(report.crashes.map(crashText)).toEqual([]);
    const kinds = [...report.kinds];
    for (const kind of [
      /^GET \/intents viewer answered/,
      /^GET \/intents stranger urn:loyaltyd:problem:unauthorized/,
      /^POST \/quarantine\/\{id\}\/unmask operator urn:loyaltyd:problem:role/,
      /problem:invalid-request/,
    ]) {
      expect(kinds).toContainEqual(expect.stringMatching(kind));
    }
  });
});
