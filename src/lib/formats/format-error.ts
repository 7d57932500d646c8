/**
 * How reading a file format fails. The caller maps the kind to its own error. `line` counts from 1, for formats with
 * lines.
 */
export type FormatErrorKind =
  /** A limit was exceeded: the input may be endless, or a decompression bomb. */
  | "too_large"
  /** The input is not valid in its format. */
  | "malformed"
  /** The input ends early. */
  | "truncated"
  /** The format, or a feature of it, is not supported. */
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
