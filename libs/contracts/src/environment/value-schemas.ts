import { z } from 'zod';

/** Schemas from a variable's text. Their messages are rules and never hold the text. */

export const textSchema = z.string().refine((text) => !/\p{Cc}/u.test(text), { error: 'no control characters' });

export const listSchema = textSchema.transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export function integerSchema(min: number, max: number): z.ZodType<number, string> {
  const rule = { error: `must be a whole number from ${min} to ${max}` };
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

export function choiceSchema<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice, string> {
  const isChoice = (text: string): text is Choice => choices.some((choice) => choice === text);
  return z
    .string()
    .refine(isChoice, { error: `must be one of ${choices.join(', ')}` })
    .transform((text) => text);
}

const flags: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

export const flagSchema = choiceSchema(['true', 'false', '1', '0']).transform((text) => flags[text] === true);

/** An http or https address without user, query or fragment; trailing slashes are cut off. */
export const urlSchema = z.string().transform((text, context) => {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    context.addIssue('must be an http or https address');
    return z.NEVER;
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    context.addIssue('must have no user, query or fragment');
    return z.NEVER;
  }
  return text.replace(/\/+$/, '');
});

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What carries secrets or personal data leaves this machine only encrypted: https, or http on loopback. */
export function isSecureUrl(text: string): boolean {
  const { protocol, hostname } = URL.parse(text) ?? { protocol: '', hostname: '' };
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

export const secureUrlSchema = urlSchema.refine(isSecureUrl, { error: 'must be https unless it is loopback' });
