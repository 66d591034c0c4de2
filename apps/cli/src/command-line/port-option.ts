import { InvalidArgumentError, Option } from 'commander';

const portMax = 65_535;

/** A TCP port of this machine. */
export function portOption(flags: string, description: string, standard: number): Option {
  return new Option(flags, description).default(standard).argParser((text) => wholeNumber(text, 0, portMax));
}

/** A whole number within bounds. @throws {InvalidArgumentError} which Commander reports with the option's name */
export function wholeNumber(text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
}
