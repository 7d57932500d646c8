/** Standard input and prompts, for secrets that must not be on a command line. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

export type StandardInput = {
  /** All of standard input. */
  readonly read: () => Promise<string>;
  /** The same as bytes, as they come. */
  readonly bytes?: () => AsyncIterable<Uint8Array>;
  /** Prompts; undefined without a terminal. A hidden answer is not shown. */
  readonly ask?: (question: string, options?: { readonly isHidden?: boolean }) => Promise<string>;
};

export const standardInput: StandardInput = {
  read: async () => text(process.stdin),
  bytes: () => process.stdin,
  ...(process.stdin.isTTY && { ask }),
};

async function ask(question: string, { isHidden = false }: { isHidden?: boolean } = {}): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const lines = createInterface({
    input: process.stdin,
    output: isHidden ? silent : process.stderr,
    terminal: isHidden,
  });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    if (isHidden) process.stderr.write("\n");
  }
}
