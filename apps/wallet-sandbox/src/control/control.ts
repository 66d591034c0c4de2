import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, Controller, type ExecutionContext, Get, Inject, Injectable } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { Database } from '#platform';
import type { HttpRequest } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import { statement } from '../store/database.js';

/** Injection token of the key that control calls must bring; null: none. */
export const CONTROL_KEY = Symbol('ControlKey');

const readOne = statement('health', 'SELECT 1');

/** For probes: the sandbox and its database answer. It says nothing else, so it asks for no key. */
@Controller('__health')
export class HealthController {
  constructor(private readonly database: Database) {}

  @Get()
  async read(): Promise<{ readonly message: string }> {
    await this.database.execute(readOne);
    return { message: 'The sandbox answers' };
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * 401 for a control call without the key, where there is one: such calls show bodies, change the client's secret, break calls
 * and forget everything. All of ours begin with `__`, so that a new one is closed unless it is named here.
 */
@Injectable()
export class ControlGuard implements CanActivate {
  private readonly expected: Buffer | null;

  constructor(@Inject(CONTROL_KEY) key: string | null) {
    this.expected = key === null ? null : digest(`Bearer ${key}`);
  }

  canActivate(context: ExecutionContext): boolean {
    const controller = context.getClass();
    const path = Reflect.getMetadata(PATH_METADATA, controller) as string;
    if (this.expected === null || controller === HealthController || !path.startsWith('__')) return true;
    const { authorization = '' } = context.switchToHttp().getRequest<HttpRequest>().headers;
    if (!timingSafeEqual(digest(authorization), this.expected)) refuse(401, 'Unauthorized');
    return true;
  }
}
