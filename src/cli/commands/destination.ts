/** `shelfwire destination …`: where the files of a catalog are delivered. */
import type { Command } from "commander";
import {
  DeletedDestinationAnswer,
  DestinationAnswer,
  DestinationsAnswer,
  type DestinationTest,
  TriedDestinationAnswer,
} from "../../contract/destinations.ts";
import { FORMATS } from "../../destinations/formats.ts";
import { DESTINATION_KIND_NAMES, kindBodies } from "../../destinations/kinds.ts";
import { destinationRoutes } from "../../http/routes/destinations.ts";
import { defined } from "../../lib/defined.ts";
import { type ApiContext, withCalls } from "../api.ts";
import type { CommandContext, InCatalog } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { choice, collect, numberOrText, yesOrNo } from "../options.ts";
import { readSourceSettings } from "../source-settings.ts";
import { table } from "../table.ts";
import { destinationDeliveryCommands } from "./destination-deliveries.ts";

type DestinationCommandOptions = InCatalog & {
  readonly set: readonly string[];
  readonly name?: string;
  readonly format?: string;
  readonly fileName?: string;
  readonly shards?: string;
  readonly maxBytesPerS?: string;
  readonly vanishedDays?: string;
  readonly schedule?: string;
  readonly dailyAt?: string;
  readonly timeZone?: string;
  readonly enabled?: string;
};

export function destinationCommands(program: Command, commandContext: CommandContext): void {
  const context = withCalls(commandContext, destinationRoutes);
  const destination = program
    .command("destination")
    .description("deliver the files of a catalog to other servers");
  addCommand(destination, context);
  updateCommand(destination, context);
  listCommand(destination, context);
  testCommand(destination, context);
  removeCommand(destination, context);
  destinationDeliveryCommands(destination, context);
}

const withOptions = (command: Command): Command =>
  command
    .requiredOption("--catalog <slug>", "which catalog")
    .option(
      "--set <name=value>",
      "a setting; name= clears it, name=@file and name=- read it; may be repeated",
      collect,
      [],
    )
    .option("--name <name>", "what to call it")
    .option("--format <format>", Object.keys(FORMATS).join(", "))
    .option("--file-name <name>", "without number and extension; default products")
    .option("--shards <yes|no>", "number the files, and split them at 500,000 items or 500 MB")
    .option("--max-bytes-per-s <number>", "bandwidth limit; 0 for none")
    .option(
      "--vanished-days <number>",
      "send rows that are gone as out of stock for so many days; 0 for not at all; default 14",
    )
    .option("--schedule <schedule>", "publication (after every one) or daily")
    .option("--daily-at <time>", "e.g. 03:00")
    .option("--time-zone <name>", "of --daily-at, e.g. Europe/Berlin")
    .option("--enabled <yes|no>", "whether it gets files on its schedule")
    .addHelpText("after", kindsHelp);

function addCommand(destination: Command, { call, print, io }: ApiContext): void {
  withOptions(destination.command("add"))
    .description("add a destination; nothing is sent before its host key is confirmed")
    .requiredOption("--kind <kind>", DESTINATION_KIND_NAMES.join(", "))
    .action(async ({ kind: named, ...options }: DestinationCommandOptions & { readonly kind: string }) => {
      const kind = choice("--kind", named, DESTINATION_KIND_NAMES);
      const settings = await readSourceSettings(io, options.set);
      const input = { kind, settings, ...fieldsOf(options) };
      const made = await call(options.catalog, "addDestination", DestinationAnswer, input);
      print(made, () => [
        `Added destination ${made.id} (${made.kind}, ${made.name}).`,
        ...(made.kind === "sftp" && made.settings["host_key"] === undefined
          ? [`Next: shelfwire destination test ${made.id} --catalog ${options.catalog}`]
          : []),
      ]);
    });
}

function updateCommand(destination: Command, { call, print, io }: ApiContext): void {
  withOptions(destination.command("update").argument("<id>"))
    .description("change a destination; other settings are unchanged")
    .action(async (id: string, options: DestinationCommandOptions) => {
      const settings = Object.entries(await readSourceSettings(io, options.set));
      const change = {
        id,
        ...(settings.length > 0 && {
          settings: Object.fromEntries(settings.map(([name, value]) => [name, value === "" ? null : value])),
        }),
        ...fieldsOf(options),
      };
      const changed = await call(options.catalog, "changeDestination", DestinationAnswer, change);
      print(changed, () => [`Changed destination ${id}.`]);
    });
}

function listCommand(destination: Command, { call, print }: ApiContext): void {
  destination
    .command("list")
    .description("list a catalog's destinations and their health")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog }: InCatalog) => {
      const { destinations } = await call(catalog, "listDestinations", DestinationsAnswer);
      print({ destinations }, () =>
        table(
          ["id", "kind", "name", "format", "schedule", "status", "last success", "last failure"],
          destinations.map((d) => [
            d.id,
            d.kind,
            d.name,
            d.format,
            d.schedule === "daily" ? `daily at ${d.daily_at} ${d.time_zone}` : d.schedule,
            d.enabled ? d.status : `${d.status}, disabled`,
            d.last_success_at ?? "never",
            d.last_error?.message ?? "none",
          ]),
        ),
      );
    });
}

function testCommand(destination: Command, { call, print, endWith }: ApiContext): void {
  destination
    .command("test")
    .description("show the host key, or log in and write an empty file; exits 6 if it does not work")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: InCatalog) => {
      const tested = await call(catalog, "testDestination", TriedDestinationAnswer, { id });
      if (!tested.ok) endWith(FINDINGS);
      print(tested, () => testLines(tested, { id, catalog }));
    });
}

function testLines(
  { ok, host_key: hostKey, note, error }: DestinationTest,
  { id, catalog }: { readonly id: string; readonly catalog: string },
): readonly string[] {
  if (ok) return [note ?? "It works."];
  const confirm = `shelfwire destination update ${id} --catalog ${catalog} --set "host_key=${hostKey?.value}"`;
  return [
    `It does not work: ${error?.message}`,
    ...(hostKey === null ? [] : [`To confirm the key: ${confirm}`]),
  ];
}

function removeCommand(destination: Command, { call, print }: ApiContext): void {
  destination
    .command("remove")
    .description("remove a destination and its receipts; delivered files stay")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: InCatalog) => {
      const deleted = await call(catalog, "deleteDestination", DeletedDestinationAnswer, { id });
      print(deleted, () => [`Removed ${id}.`]);
    });
}

/** The schemas of the calls say which values they take. */
function fieldsOf(options: DestinationCommandOptions) {
  const { name, format, fileName, schedule, maxBytesPerS, vanishedDays, dailyAt, timeZone } = options;
  return defined({
    name,
    format,
    file_name: fileName,
    shards: yesOrNo("--shards", options.shards),
    max_bytes_per_s:
      maxBytesPerS === undefined ? undefined : maxBytesPerS === "0" ? null : numberOrText(maxBytesPerS),
    vanished_days: vanishedDays === undefined ? undefined : numberOrText(vanishedDays),
    schedule,
    daily_at: dailyAt,
    time_zone: timeZone,
    enabled: yesOrNo("--enabled", options.enabled),
  });
}

function kindsHelp(): string {
  const lines = kindBodies().flatMap(({ kind, label, fields }) => [
    `  ${kind} (${label})`,
    ...fields.map(({ name, help, secret }) => `    ${name.padEnd(18)} ${help}${secret ? " (secret)" : ""}`),
  ]);
  return ["", "Settings by kind, for --set:", "", ...lines, ""].join("\n");
}
