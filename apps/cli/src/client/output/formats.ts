export const outputFormats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'name'] as const;

export type OutputFormat = (typeof outputFormats)[number];
