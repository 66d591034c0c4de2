/** Part of Node since 21, and not in TypeScript's library yet. */
interface RawJson {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
}

/** `rawJson`: a text that `JSON.stringify` writes as it stands, such as a number with more digits than a float keeps. */
export const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as RawJson;
