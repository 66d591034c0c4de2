import { Test } from '@nestjs/testing';

import { createLogger, SystemClock, SystemRandom } from '#platform';

import { OperationsModule } from '../operations.module.js';
import { PartnerJobTools } from '../partner-reading/partner-job-tools.js';
import { portsModule } from '../testing/ports.js';
import { JobRunners } from './job-runner.js';
import { PartnerJobsModule } from './partner-jobs.module.js';

const tools = {
  ...{ clock: new SystemClock(), random: new SystemRandom() },
  logger: createLogger({ level: 'silent', service: 'spec' }),
};
const own = ['cancel', 'correct', 'discard', 'erase', 'export', 'replay', 'reread', 'resolve', 'resubmit', 'settle'];

async function kindsWith(hasPartner: boolean): Promise<string[]> {
  const ports = portsModule([[PartnerJobTools, tools]]);
  const partnerJobs = hasPartner ? [PartnerJobsModule.forRoot([ports])] : [];
  const imports = [OperationsModule.forRoot([ports]), ...partnerJobs];
  const module = await Test.createTestingModule({ imports }).compile();
  const opened = module.get(JobRunners, { strict: false }).open(tools);
  return opened.map(({ work }) => work.kind).toSorted();
}

describe('the runners of jobs', () => {
  it('are one for each kind that a module of the process provides', async () => {
    expect(await kindsWith(false)).toEqual(own);
    expect(await kindsWith(true)).toEqual([...own, 'ask', 'provision', 'reconcile', 'schedule'].toSorted());
  });
});
