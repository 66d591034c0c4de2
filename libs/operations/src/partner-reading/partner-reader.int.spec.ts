import type { CallOptions, PassListing } from '#gateway';
import { GatewayError } from '#gateway';

import type { JobWork } from '../jobs/job-runner.js';
import type { Job } from '../jobs/job-repository.js';
import { ReconciliationWork } from '../jobs/kinds/reconcile/reconciliation-work.js';
import { ReadingFixture } from '../testing/reading-fixture.js';
import { passOf } from '../testing/scripted-listings.js';
import type { PartnerReaderOptions } from './partner-reader.js';

const aborted = { stage: 'exchange', code: 'aborted', retryAfterMs: null } as const;
const evidence = { request: { method: 'GET', path: '', body: null }, response: null, durationMs: 1 };

let fixture: ReadingFixture;
let asked: PromiseWithResolvers<null>;

beforeEach(async () => {
  fixture = await ReadingFixture.open();
  asked = Promise.withResolvers();
});

afterEach(async () => {
  await fixture.close();
});

/** A call that is not answered before it is given up. */
async function silence({ signal }: CallOptions): Promise<void> {
  asked.resolve(null);
  await new Promise<void>((resolve) => {
    signal?.addEventListener('abort', () => {
      resolve();
    });
  });
}

const silentListing: PartnerReaderOptions['partner']['listPasses'] = (query, options): PassListing => ({
  ...fixture.partner.listPasses(query, options),
  // eslint-disable-next-line require-yield -- it never comes to a page
  async *pages() {
    await silence(options);
    throw new GatewayError(aborted);
  },
});

const silentLookup: PartnerReaderOptions['partner']['findPass'] = async (_lookup, options) => {
  await silence(options);
  return { kind: 'failed', ...aborted, evidence };
};

/** Carries the job on until the partner is silent, and is told to stop then. */
async function stopWhileAsking(work: JobWork, jobId: string): Promise<Job | null> {
  let isAsked = false;
  void asked.promise.then(() => (isAsked = true));
  const carryOn = async (): Promise<Job | null> => {
    let job = await fixture.turn(work, jobId);
    while (!isAsked) job = await fixture.turn(work, jobId);
    return job;
  };
  const carried = carryOn();
  await asked.promise;
  work.stop?.();
  return carried;
}

/** As another process has them. */
const otherTools = (): typeof fixture.tools => ({ ...fixture.tools });

describe('a job whose process stops while the partner is silent', () => {
  it('regression: gives the page up at once, and another process reads it', async () => {
    fixture.partner.passes = [passOf('a'), passOf('b')];
    await fixture.job('j1', 'reconcile', { adopt: true });
    const partner = { ...otherPartner(), listPasses: silentListing };
    const left = await stopWhileAsking(new ReconciliationWork({ ...fixture.tools, partner }), 'j1');
    expect(left).toMatchObject({ cursor: { page: null, troubles: { count: 0 } } });
    expect(fixture.warnings).toEqual([]);
    const { progress } = await fixture.run(new ReconciliationWork(otherTools()), 'j1');
    expect(progress).toMatchObject({ pages: 1, adopted: 2 });
  });

  it('regression: gives a lookup up at once, and another process asks again', async () => {
    await fixture.enrol(['a', { tierId: 1 }], ['b', { tierId: 1 }]);
    await fixture.deliver();
    await fixture.clock.sleep(10_000);
    await fixture.job('r1', 'reconcile', { repair: false });
    const partner = { ...otherPartner(), findPass: silentLookup };
    const left = await stopWhileAsking(new ReconciliationWork({ ...fixture.tools, partner }), 'r1');
    expect(left).toMatchObject({ cursor: { phase: 'ours', troubles: { count: 0 } } });
    expect(fixture.warnings).toEqual([]);
    const { report } = await fixture.run(new ReconciliationWork(otherTools()), 'r1');
    expect(report).toMatchObject({ findings: { missingThere: 2, unconfirmed: 0 } });
  });
});

/** One that answers. */
function otherPartner(): PartnerReaderOptions['partner'] {
  const { partner } = fixture;
  return {
    listPasses: (query, options) => partner.listPasses(query, options),
    findPass: (lookup) => partner.findPass(lookup),
    countPasses: (query) => partner.countPasses(query),
  };
}
