/** `shelfwire mcp`: the MCP server on standard input and output, for an assistant on this machine. */
import type { Command } from "commander";
import { openMcp } from "../../http/mcp/server.ts";
import { localCaller } from "../../http/operations.ts";
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
        const scopes = readOnly ? (["read"] as const) : (["read", "write"] as const);
        const caller = localCaller(catalog.id, { name: "shelfwire mcp", scopes });
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
