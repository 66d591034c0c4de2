import { readFile } from 'node:fs/promises';

import { parseRfc3339 } from '#contracts';
import type { HeaderValue } from '#events/core';

import { isObject, parseJson, readHeaders, readRecord } from '../lint/read-record.js';
import { asFileProblem, FileProblem, fileBytes, isLineFile, readSamples } from '../lint/read-samples.js';
import { factsSuffix } from './sample-files.js';
import type { NamedSource, SampleSources } from './source-of-sample.js';
export type { NamedSource } from './source-of-sample.js';
import { topicOf } from './source-of-sample.js';

/** A record of a source, as a file holds it. */
export interface SourceSample {
  readonly source: NamedSource;
  readonly line: number;
  /** Of the record, else the first that its source names; null: the source has patterns alone. */
  readonly topic: string | null;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly value: Uint8Array | null;
  /** Epoch milliseconds: when the broker got it; null: it does not say. */
  readonly timestampMs: number | null;
}

/** A line of a file that is no record. */
export interface BrokenSample {
  readonly line: number;
  readonly detail: string;
}

/**
 * The records of a file whose samples are of a source: a line each in JSON Lines, `{"topic", "key", "headers", "value"}`; any
 * other file is the value of one record, byte by byte. Null: the file's samples are of no source.
 * @throws {FileProblem}
 */
export async function readSourceRecords(
  file: string,
  sources: SampleSources,
  stdin: AsyncIterable<Buffer>,
): Promise<readonly (SourceSample | BrokenSample)[] | null> {
  return isLineFile(file) ? linesOf(file, sources, stdin) : wholeFile(file, sources, stdin);
}

async function linesOf(file: string, sources: SampleSources, stdin: AsyncIterable<Buffer>) {
  const samples = [...(await readSamples(file, stdin))];
  const records = samples.map(({ line, bytes }): SourceSample | BrokenSample | null => {
    const read = readRecord(bytes);
    const facts = read.ok ? factsIn(read.record.json) : noFacts;
    const source = sources.of({ file, topic: facts.topic });
    if (source === null) return null;
    if (!read.ok) return { line, detail: read.detail };
    const { value, headers, key = null } = read.record;
    return { source, line, key, headers, value, topic: facts.topic ?? topicOf(source), timestampMs: facts.timestampMs };
  });
  // A file is of sources, or it is not: half of it would be judged by a reading of its own.
  return records.every((record) => record === null) ? null : records.filter((record) => record !== null);
}

interface RecordFacts {
  readonly topic: string | null;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly timestampMs: number | null;
}

const noFacts: RecordFacts = { topic: null, key: null, headers: {}, timestampMs: null };

async function wholeFile(file: string, sources: SampleSources, stdin: AsyncIterable<Buffer>) {
  const facts = await factsBeside(file);
  const source = sources.of({ file, topic: facts.topic });
  if (source === null) return null;
  const { key, headers, timestampMs } = facts;
  const value = await fileBytes(file, stdin);
  return [{ source, line: 1, key, headers, value, topic: facts.topic ?? topicOf(source), timestampMs }];
}

/** @throws {FileProblem} where there is such a file, and it holds something else */
async function factsBeside(file: string): Promise<RecordFacts> {
  const text = await readFile(`${file}${factsSuffix}`, 'utf8').catch((error: unknown) => {
    const problem = asFileProblem(error);
    if (problem.message === 'no such file') return null;
    throw problem;
  });
  if (text === null) return noFacts;
  const json = parseJson(text);
  if (!isObject(json)) throw new FileProblem(`${factsSuffix} beside it is no JSON object`);
  const headers = readHeaders(json['headers']);
  if (!headers.ok) throw new FileProblem(`${factsSuffix} beside it: ${headers.detail}`);
  return { ...factsIn(json), headers: headers.value };
}

function factsIn(json: unknown): RecordFacts {
  if (!isObject(json)) return noFacts;
  const text = (name: string): string | null => {
    const value = json[name];
    return typeof value === 'string' ? value : null;
  };
  const timestamp = text('timestamp');
  const timestampMs = timestamp === null ? null : parseRfc3339(timestamp);
  return { topic: text('topic'), key: text('key'), headers: {}, timestampMs };
}
