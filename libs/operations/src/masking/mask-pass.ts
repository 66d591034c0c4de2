import { maskedText } from './mask-personal.js';

const passFields: ReadonlySet<string> = new Set([
  ...['passId', 'serialNumber', 'templateId', 'templateTierId', 'statusCode', 'status'],
  ...['downloadUrl', 'downloadUrlApple', 'downloadUrlGoogle'],
]);
const passDataFields: ReadonlySet<string> = new Set(['optOut', 'points', 'expiryDate', 'status']);

function maskedUnless(names: ReadonlySet<string>, object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, value]) => {
    return [name, value === null || names.has(name) ? value : maskedText] as const;
  });
  return Object.fromEntries(entries);
}

/** What says nothing of a person as it is, anything else masked. */
export function maskedPass(pass: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { passdata, ...own } = pass;
  const isData = typeof passdata === 'object' && passdata !== null;
  return {
    ...maskedUnless(passFields, own),
    ...(isData && { passdata: maskedUnless(passDataFields, passdata as Readonly<Record<string, unknown>>) }),
  };
}
