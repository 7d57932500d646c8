/** What a command gets: output, configuration, and the system, opened on demand. */
import type { Config, Env } from "../config.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { StandardInput } from "./input.ts";
import type { System } from "./system.ts";

export type Io = {
  readonly env: Env;
  /** Where a file `.env` is looked for. */
  readonly envFolder?: string;
  /** Data, for people and programs. */
  readonly out: (text: string) => void;
  /** Everything else: progress, hints, errors. */
  readonly talk: (text: string) => void;
  /** Without it, standard input is not read and there are no prompts. */
  readonly input?: StandardInput;
  /** Whether `talk` writes to a terminal. */
  readonly isTerminal: boolean;
  /** Whether `out` writes to a terminal: secrets of the start message are shown nowhere else. */
  readonly isOutTerminal?: boolean;
  /** For services: keep running after a reader of the output is gone. */
  readonly outliveReaders?: () => void;
  /** Whether data may be colored. */
  readonly hasColor?: boolean;
};

/** The option of commands that concern one catalog. */
export type InCatalog = { readonly catalog: string };

export type CommandContext = {
  readonly io: Io;
  readonly config: () => Config;
  /** What was typed, without arguments: `source add`. */
  readonly command: () => string;
  /** Opens the system, runs `work` with it and closes it again, whatever happens. */
  readonly withSystem: <T>(work: (system: System) => Promise<T>) => Promise<T>;
  /** The same, with the catalog of this slug. */
  readonly withCatalog: <T>(
    slug: string,
    work: (catalog: Catalog, system: System) => Promise<T>,
  ) => Promise<T>;
  /** Whether the command prints JSON. */
  readonly isJson: () => boolean;
  /** Prints data: as JSON with --json, otherwise the lines. */
  readonly print: (data: unknown, lines: () => readonly string[]) => void;
  /** Sets the exit status of a command that ran and found problems. */
  readonly endWith: (status: number) => void;
};
