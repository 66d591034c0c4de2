import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, of, throwError } from 'rxjs';

import type { ApiSettings } from '../api-settings.js';
import { DeedInterceptor } from './deed.interceptor.js';

function deedsAfter(
  method: string,
  answer = of('ok'),
): { readonly count: () => number; readonly done: Promise<unknown> } {
  let deeds = 0;
  const settings = { onDeed: () => (deeds += 1) } as unknown as ApiSettings;
  const context = {
    switchToHttp: () => ({ getRequest: () => ({ method, operator: {} }) }),
  } as unknown as ExecutionContext;
  const answered = new DeedInterceptor(settings).intercept(context, { handle: () => answer });
  return { count: () => deeds, done: lastValueFrom(answered).catch((error: unknown) => error) };
}

describe('a request of the operations API', () => {
  it.each([
    ['GET', 0],
    ['HEAD', 0],
    ['POST', 1],
    ['DELETE', 1],
  ])('%s wakes who carries on what was asked for %d times', async (method, times) => {
    const { count, done } = deedsAfter(method);
    await done;
    expect(count()).toBe(times);
  });

  it('wakes nobody where a stranger sends it', async () => {
    const context = { switchToHttp: () => ({ getRequest: () => ({ method: 'POST' }) }) } as unknown as ExecutionContext;
    let deeds = 0;
    const settings = { onDeed: () => (deeds += 1) } as unknown as ApiSettings;
    await lastValueFrom(new DeedInterceptor(settings).intercept(context, { handle: () => of('ok') }));
    expect(deeds).toBe(0);
  });

  it('wakes them also where it was refused: a part of it may be done', async () => {
    const refusal = new Error('partly');
    const { count, done } = deedsAfter(
      'POST',
      throwError(() => refusal),
    );
    expect(await done).toBe(refusal);
    expect(count()).toBe(1);
  });
});
