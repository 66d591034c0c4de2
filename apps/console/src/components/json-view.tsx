import { type ReactNode } from 'react';

import { CopyButton } from './copy-button.js';
import styles from './json-view.module.css';
import { MaskedValue } from './masked-value.js';

interface JsonViewProps {
  readonly value: unknown;
  /** What it is, such as `the request`. */
  readonly what: string;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function Scalar({ value }: { readonly value: unknown }): ReactNode {
  const kind = value === null ? 'null' : typeof value;
  const text = JSON.stringify(value) as string | undefined;
  return (
    <span className={styles.scalar} data-kind={kind}>
      <MaskedValue text={text ?? String(value)} />
    </span>
  );
}

interface NodeProps {
  readonly name: string | null;
  readonly value: unknown;
  readonly depth: number;
}

/** So deep it is open at first. */
const openDepth = 3;

function Node({ name, value, depth }: NodeProps): ReactNode {
  const label = name === null ? null : <span className={styles.name}>{name}: </span>;
  if (!isContainer(value) || Object.keys(value).length === 0) {
    return (
      <div className={styles.leaf}>
        {label}
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Object.entries(value) as [string, unknown][];
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return (
    <details open={depth < openDepth}>
      <summary className={styles.summary}>
        {label}
        <span className={styles.bracket}>
          {begin}
          <span className={styles.count}>{entries.length}</span>
          {end}
        </span>
      </summary>
      <div className={styles.inside}>
        {entries.map(([key, inner]) => (
          <Node key={key} name={key} value={inner} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
}

/** JSON, folded below the third level; what is masked is marked. */
export function JsonView({ value, what }: JsonViewProps): ReactNode {
  return (
    <div className={styles.view}>
      <div className={styles.copy}>
        <CopyButton text={JSON.stringify(value, null, 2)} what={what} />
      </div>
      <Node name={null} value={value} depth={0} />
    </div>
  );
}
