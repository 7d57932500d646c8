/** The command line on its own database: the program's schema has a fixed name, so files cannot share one. */
import { runCli } from "../src/cli/cli.ts";
import type { StandardInput } from "../src/cli/input.ts";
import type { Env } from "../src/config.ts";
import type { Disposable } from "./fresh.ts";
import { freshDatabase, tempDir } from "./fresh.ts";

export type CommandResult = { readonly status: number; readonly out: string; readonly talk: string };
export type RunOptions = {
  readonly env?: Env;
  readonly isTerminal?: boolean;
  readonly input?: StandardInput;
  readonly onTalk?: (text: string) => void;
};

export type CommandLine = {
  readonly env: Env;
  readonly run: (line: readonly string[], options?: RunOptions) => Promise<CommandResult>;
  /** Runs with --json and returns the data; fails on any other status than 0. */
  readonly data: <T>(...line: readonly string[]) => Promise<T>;
};

export async function commandLine(): Promise<Disposable<CommandLine>> {
  const parts = new AsyncDisposableStack();
  const database = parts.use(await freshDatabase());
  const folder = parts.use(await tempDir());
  const env: Env = {
    DATABASE_URL: database.url,
    SECRET_KEY: "a key for tests, long enough to be one",
    DATA_DIR: folder.path,
    BASE_URL: "https://feeds.example",
    ALLOW_PRIVATE_TARGETS: "127.0.0.1",
  };

  const run = async (line: readonly string[], options: RunOptions = {}): Promise<CommandResult> => {
    let [out, talk] = ["", ""];
    const status = await runCli(line, {
      env: options.env ?? env,
      out: (text) => {
        out += text;
      },
      talk: (text) => {
        talk += text;
        options.onTalk?.(text);
      },
      isTerminal: options.isTerminal ?? false,
      ...(options.input && { input: options.input }),
    });
    return { status, out, talk };
  };

  return {
    env,
    run,
    data: async <T>(...line: readonly string[]) => {
      const { status, out, talk } = await run([...line, "--json"]);
      if (status !== 0) throw new Error(`exit ${status}: ${out}${talk}`);
      return JSON.parse(out) as T;
    },
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
}
