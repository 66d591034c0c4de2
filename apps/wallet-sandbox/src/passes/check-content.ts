import type { PassContent } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import type { Program } from '../seed/catalogue.js';

/** What is wrong with an issue or update that fits its schema: ids that the program does not have. Null: nothing. */
export function checkContent(program: Program, content: PassContent, wording: Wording): string | null {
  const { templateId, templateTierId } = content;
  if (isNumber(templateId) && !program.templates.some((template) => template.id === templateId)) {
    return wording.invalid('templateId', `no template ${templateId}`);
  }
  if (isNumber(templateTierId) && !program.tiers.includes(templateTierId)) {
    return wording.invalid('templateTierId', `no tier ${templateTierId}`);
  }
  if (isOther(content.brandId, program.brandId)) return wording.invalid('brandId', 'is not the brand of the path');
  if (isOther(content.programId, program.programId)) {
    return wording.invalid('programId', 'is not the program of the path');
  }
  return null;
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

function isOther(given: string | number | null | undefined, expected: string): boolean {
  return given !== null && given !== undefined && String(given) !== expected;
}
