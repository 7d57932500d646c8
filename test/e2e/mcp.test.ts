/** `shelfwire mcp` as an assistant starts it: a process of its own, with the client of the official SDK. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { commandLine } from "../command-line.ts";
import { tempDir } from "../fresh.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

test("an assistant reads a catalog and proposes a value over standard input and output", async () => {
  await using cli = await commandLine();
  await using folder = await tempDir();
  await cli.data("catalog", "create", "--slug", "mugs", "--name", "Mugs", "--currency", "USD");
  const file = join(folder.path, "mugs.json");
  const mug = { id: "mug-1", title: "Blue mug", link: "https://shop.example/1", price: "9.50 USD" };
  await writeFile(file, JSON.stringify([{ ...mug, availability: "in_stock" }]));
  const pushed = await cli.run(["push", file, "--catalog", "mugs"]);
  assert.equal(pushed.status, 0, pushed.talk);
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", "--catalog", "mugs"],
    env: { ...(cli.env as Record<string, string>), PATH: process.env["PATH"] ?? "" },
    stderr: "pipe",
  });
  let talk = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    talk += chunk.toString();
  });
  await client.connect(transport);

  const { tools } = await client.listTools();
  const found = await client.callTool({ name: "search_items", arguments: {} });
  const proposed = await client.callTool({
    name: "propose_value",
    arguments: {
      item_id: "mug-1",
      field: "color",
      value: "Blue",
      evidence: [{ field: "title", text: "Blue" }],
      reason: "It is in the title.",
    },
  });
  const changes = await cli.data<{ changes: { by: { kind: string }; call: string }[] }>(
    "changes",
    "--catalog",
    "mugs",
  );
  await client.close();

  assert.ok(tools.some(({ name }) => name === "propose_value"));
  assert.match(JSON.stringify(found.structuredContent), /"id":"mug-1"/);
  assert.match(JSON.stringify(proposed.structuredContent), /"state":"pending".*"is_|"is_grounded":true/);
  assert.ok(changes.changes.some(({ by, call }) => by.kind === "cli" && call === "mcp"));
  assert.equal(talk, "");
});
