/**
 * How reading a file format can fail. Readers here know nothing of who asked; the caller translates the kind into
 * its own failure once. `line` is where the reader stood, counted from 1, when the format has lines at all.
 */
export type FormatErrorKind =
  /** A cap was passed: the input may be endless, or a bomb. */
  | "too_large"
  /** The input breaks the rules of its own format. */
  | "malformed"
  /** The input ends in the middle of something. */
  | "truncated"
  /** The input is a format or a feature that is not read here, on purpose. */
  | "unsupported";

export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly kind: FormatErrorKind;
  readonly line: number | null;

  constructor(kind: FormatErrorKind, message: string, extras: { line?: number; cause?: unknown } = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.kind = kind;
    this.line = extras.line ?? null;
  }
}
