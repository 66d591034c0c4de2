import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { CopyButton } from '../components/copy-button.js';
import { JsonView } from '../components/json-view.js';
import { MaskedValue } from '../components/masked-value.js';
import { Panel } from '../components/panel.js';
import { decodeRecord, prettyText } from './record-content.js';
import styles from './record-screen.module.css';

type RecordDetails = Answer<'/quarantine/{id}'>;

interface Content extends Pick<RecordDetails, 'key' | 'headers' | 'value' | 'isReadable'> {
  readonly encoding: RecordDetails['encoding'] | 'base64';
}

function RawPart({ name, text }: { readonly name: string; readonly text: string | null }): ReactNode {
  return (
    <div className={styles.part}>
      <div className={styles.name}>
        {name} {text === null ? null : <CopyButton text={text} what={`the ${name.toLowerCase()}`} />}
      </div>
      {text === null ? (
        <p>none</p>
      ) : (
        <pre className={styles.raw} tabIndex={0} role="region" aria-label={name}>
          <MaskedValue text={text} />
        </pre>
      )}
    </div>
  );
}

function whyNotShown({ isReadable, encoding }: Content): string | null {
  if (encoding === 'batch') {
    return 'This is a whole record batch as the broker sent it. It was never taken apart, so nothing of it is shown.';
  }
  if (!isReadable) {
    return 'No key opens its bytes any more. Only a whole correction, headers and value, can still be taken in.';
  }
  if (encoding === 'base64') return 'The value is no text: its bytes are shown in base64.';
  if (encoding === 'masked') return 'The value is no JSON that can be checked for what is personal: it is not shown.';
  return null;
}

const modes = {
  structured: 'a structured CloudEvent: all of it is in the value',
  binary: 'a binary CloudEvent: attributes come from the headers, data from the value',
} as const;

/** A record as it arrived, and beside it what was read from it. */
export function ContentPanels({ content }: { readonly content: Content }): ReactNode {
  const note = whyNotShown(content);
  const decoded = content.encoding === 'batch' ? null : decodeRecord(content);
  return (
    <div className={styles.sides}>
      <Panel title="As it arrived">
        {note === null ? null : <p className={styles.quiet}>{note}</p>}
        <RawPart name="Key" text={content.key} />
        <RawPart name="Headers" text={prettyText(content.headers)} />
        <RawPart name="Value" text={content.value} />
      </Panel>
      <Panel title="As it was read" about={decoded === null ? undefined : `Read as ${modes[decoded.mode]}.`}>
        {decoded === null ? (
          <p>It could not be read as an event.</p>
        ) : (
          <JsonView value={decoded.event} what="the event" />
        )}
      </Panel>
    </div>
  );
}
