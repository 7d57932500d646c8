/** The programs of threads. */
import { extname } from "node:path";

/**
 * The program `name` beside the caller, compiled where the caller is compiled. It is loaded from the cache of compiled
 * modules: a thread that compiles TypeScript needs 25 MB and 90 ms more.
 */
export function programBeside({ url, filename }: ImportMeta, name: string): URL {
  const program = new URL(`./${name}${extname(filename)}`, url);
  const start = `import { enableCompileCache } from "node:module"; enableCompileCache(); await import("${program.href}");`;
  return new URL(`data:text/javascript,${encodeURIComponent(start)}`);
}
