import { MalformedError } from './byte-reader.js';
import { readJsonDocument } from './json-format.js';
import { readFrame } from './schema-frame.js';
import { type SourceFormat, tombstone, unreadable } from './source-format.js';

/**
 * JSON behind the id of its JSON Schema. The schema itself is never asked for: it says nothing of how the bytes are read, and what a
 * record must hold its map says.
 */
export const jsonSchemaFormat: SourceFormat = {
  read: ({ value, headers }) => {
    if (value === null) return tombstone;
    try {
      return readJsonDocument(readFrame({ value, headers }, false).body);
    } catch (error) {
      if (error instanceof MalformedError) return unreadable(error.message);
      throw error;
    }
  },
};
