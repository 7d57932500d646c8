/** `shelfwire mcp`: the MCP server on standard input and output, for an assistant on this machine. */
import type { Command } from "commander";
import type { Caller } from "../../http/auth.ts";
import { openMcp } from "../../http/mcp/server.ts";
import type { Catalog } from "../../store/catalogs.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { VERSION } from "../program.ts";

export function mcpCommand(program: Command, { withCatalog }: CommandContext): void {
  program
    .command("mcp")
    .description("give an assistant access to a catalog, over standard input and output")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--read-only", "without the tool that proposes values")
    .action(async ({ catalog: slug, readOnly = false }: { catalog: string; readOnly?: boolean }) => {
      await withCatalog(slug, async (catalog, system) => {
        const { feedUrl, folders } = system.jobs;
        const { baseUrl } = system.config;
        const mcp = openMcp({ ...system, baseUrl, feedUrl, folders, version: VERSION });
        const caller = localCaller(catalog, readOnly ? ["read"] : ["read", "write"]);
        const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
        const ended = Promise.withResolvers<void>();
        process.stdin.once("end", ended.resolve).once("close", ended.resolve);
        const served = serveStdio(async () => mcp.serverFor({ caller, changeLog: commandChanges("mcp") }), {
          transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE }),
          onerror: (error) => system.log.warn({ reason: error.message }, "a message was not understood"),
          maxSubscriptions: 0,
        });
        await ended.promise;
        await served.close();
      });
    });
}

/** As large as a body that the API accepts. */
const MAX_MESSAGE = 1024 * 1024;

/** Whoever can run commands here needs no key. */
function localCaller({ id: catalogId, slug }: Catalog, scopes: readonly string[]): Caller {
  const key = {
    id: "",
    catalogId,
    slug,
    name: "shelfwire mcp",
    handle: "",
    scopes,
    secretHash: Buffer.alloc(0),
    isUseUnnoted: false,
  };
  return { key, catalogId, keys: [key] };
}
