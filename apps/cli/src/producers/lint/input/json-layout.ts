import { closes, JsonCursor } from './json-cursor.js';
import { isSpace } from './raw-sample.js';

const comma = 0x2c;
const arrayEnd = 0x5d;

/** How samples stand in JSON text. */
export interface JsonLayout {
  /** Whether this byte, which belongs to no sample yet, begins one. */
  begins(byte: number): boolean;
  /** Whether the sample that was begun ends here: `after` this byte, or `before` it. */
  ends(byte: number): 'after' | 'before' | null;
  /** Whether the text may end here. */
  readonly isComplete: boolean;
}

/** One value, or several one after the other, each over any number of lines. */
export class ValuesLayout implements JsonLayout {
  readonly isComplete = true;
  private cursor = new JsonCursor();

  begins(byte: number): boolean {
    if (isSpace(byte)) return false;
    this.cursor = new JsonCursor();
    return true;
  }

  ends(byte: number): 'after' | 'before' | null {
    this.cursor.step(byte);
    if (!this.cursor.isOutside) return null;
    if (closes(byte)) return 'after';
    return isSpace(byte) ? 'before' : null;
  }
}

/** The members of one array. What stands behind the array counts as one more sample, which then is refused. */
export class ArrayLayout implements JsonLayout {
  private place: 'before' | 'within' | 'behind' = 'before';
  private cursor = new JsonCursor();

  get isComplete(): boolean {
    return this.place === 'behind';
  }

  begins(byte: number): boolean {
    if (isSpace(byte)) return false;
    return this.place === 'within' ? this.beginsMember(byte) : this.beginsOutside();
  }

  ends(byte: number): 'after' | 'before' | null {
    if (this.place === 'behind') return null;
    if (this.cursor.isOutside && (byte === comma || byte === arrayEnd)) {
      if (byte === arrayEnd) this.place = 'behind';
      return 'before';
    }
    this.cursor.step(byte);
    return null;
  }

  private beginsMember(byte: number): boolean {
    if (byte === arrayEnd) this.place = 'behind';
    this.cursor = new JsonCursor();
    return byte !== arrayEnd && byte !== comma;
  }

  /** The first byte is the array's bracket. */
  private beginsOutside(): boolean {
    if (this.place === 'behind') return true;
    this.place = 'within';
    return false;
  }
}
