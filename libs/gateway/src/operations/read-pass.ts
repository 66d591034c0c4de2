import { type WalletPass, walletPassSchema } from '#contracts';
import type { Dialect } from '../dialect/dialect-schema.js';
import { type ReadShape, readShape } from '../wallet/read-shape.js';

/** A WalletPass as it was answered; a status whose number is not the dialect's raises an alarm. */
export function readPass(answer: Readonly<Record<string, unknown>>, dialect: Dialect): ReadShape<WalletPass> {
  const shape = readShape(walletPassSchema, answer);
  return isStatusOdd(shape.value, dialect) ? { ...shape, alarms: [...shape.alarms, 'status'] } : shape;
}

function isStatusOdd({ statusCode, status }: WalletPass, { status: { numbers } }: Dialect): boolean {
  if (typeof statusCode !== 'string' || typeof status !== 'number') return false;
  return Object.hasOwn(numbers, statusCode) && numbers[statusCode] !== status;
}
