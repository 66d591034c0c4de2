import { parseArgs } from 'node:util';

import { UsageError, wholeNumber } from '../support/process/program.js';

/** What every drill on real containers takes. */
export interface DrillOptions<Part extends string> {
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** Traffic before, between and after what befalls the installation. */
  readonly calmSeconds: number;
  /** Images that were named. */
  readonly images: Readonly<Partial<Record<Part, string>>>;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

/** Of what every drill takes. */
export const drillRanges = {
  seed: { min: 0, max: 2_147_483_647 },
  rate: { min: 1, max: 1_000 },
  calm: { min: 5, max: 3_600 },
} as const;

const known = {
  seed: { type: 'string', default: '1' },
  rate: { type: 'string', default: '20' },
  calm: { type: 'string', default: '10' },
  image: { type: 'string', multiple: true, default: [] },
  'restart-engine': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { ...known, image: { ...known.image, default: [] } } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readImages<Part extends string>(
  texts: readonly string[],
  parts: readonly Part[],
): DrillOptions<Part>['images'] {
  const pairs = texts.map((text) => {
    const [part = '', ...image] = text.split('=');
    if (!parts.some((name) => name === part) || image.join('=') === '') {
      throw new UsageError(`--image wants one of ${parts.join(', ')}, "=" and an image, not ${text}`);
    }
    return [part, image.join('=')] as const;
  });
  return Object.fromEntries(pairs) as DrillOptions<Part>['images'];
}

/**
 * @param parts what has an image
 * @returns with the command that restarts the engine; null: none was named
 * @throws UsageError
 */
export function readDrillOptions<Part extends string>(
  args: readonly string[],
  parts: readonly Part[],
): DrillOptions<Part> & { readonly restartEngine: string | null } {
  const values = parse(args);
  return {
    seed: wholeNumber('seed', values.seed, drillRanges.seed),
    rate: wholeNumber('rate', values.rate, drillRanges.rate),
    calmSeconds: wholeNumber('calm', values.calm, drillRanges.calm),
    images: readImages(values.image, parts),
    restartEngine: values['restart-engine'] ?? null,
    isJson: values.json,
    isHelp: values.help,
  };
}
