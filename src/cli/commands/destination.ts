/** `shelfwire destination …`: where the files of a catalog are delivered. */
import type { Command } from "commander";
import type { ChangedDestination, DestinationTest } from "../../contract/destinations.ts";
import {
  addDestination,
  changeDestination,
  removeDestination,
  settingsToTest,
  listDestinationBodies,
} from "../../destinations/destinations.ts";
import { FORMATS } from "../../destinations/formats.ts";
import { DESTINATION_KIND_NAMES, kindBodies } from "../../destinations/kinds.ts";
import { testDestination } from "../../destinations/send.ts";
import { invalidRequest } from "../../errors.ts";
import { defined } from "../../lib/defined.ts";
import { isUuid, newId } from "../../lib/id.ts";
import { fieldNames } from "../../setup/changes.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { choice, collect, wholeNumberOrOff } from "../options.ts";
import { readSourceSettings } from "../source-settings.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";
import { destinationDeliveryCommands } from "./destination-deliveries.ts";

type InCatalog = { readonly catalog: string };
type Options = InCatalog & {
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

const FORMAT_NAMES = Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[];
const SCHEDULES = ["publication", "daily"] as const;

export function destinationCommands(program: Command, context: CommandContext): void {
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
    .option("--format <format>", FORMAT_NAMES.join(", "))
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

function addCommand(destination: Command, { withCatalog, print, io }: CommandContext): void {
  withOptions(destination.command("add"))
    .description("add a destination; nothing is sent before its host key is confirmed")
    .requiredOption("--kind <kind>", DESTINATION_KIND_NAMES.join(", "))
    .action(async ({ kind: named, ...options }: Options & { readonly kind: string }) => {
      const kind = choice("--kind", named, DESTINATION_KIND_NAMES);
      const input = { kind, settings: await readSourceSettings(io, options.set), ...fieldsOf(options) };
      const made = await withCatalog(options.catalog, async ({ id: catalogId }, system) => {
        const id = newId();
        const target = { type: "destination", id, fields: fieldNames(input) } as const;
        const db = commandChanges("destination add").recording(system.db, catalogId, target);
        return addDestination(db, partsOf(system), { ...input, catalogId, id });
      });
      print(made, () => [
        `Added destination ${made.id} (${made.kind}, ${made.name}).`,
        ...(made.kind === "sftp" && made.settings["host_key"] === undefined
          ? [`Next: shelfwire destination test ${made.id} --catalog ${options.catalog}`]
          : []),
      ]);
    });
}

function updateCommand(destination: Command, { withCatalog, print, io }: CommandContext): void {
  withOptions(destination.command("update").argument("<id>"))
    .description("change a destination; other settings are unchanged")
    .action(async (id: string, options: Options) => {
      const settings = Object.entries(await readSourceSettings(io, options.set));
      const change = {
        id: checkId(id),
        ...(settings.length > 0 && {
          settings: Object.fromEntries(settings.map(([name, value]) => [name, value === "" ? null : value])),
        }),
        ...fieldsOf(options),
      };
      const changed = await withCatalog(options.catalog, async ({ id: catalogId }, system) => {
        const { id: _id, ...fields } = change;
        const target = { type: "destination", id, fields: fieldNames(fields) } as const;
        const db = commandChanges("destination update").recording(system.db, catalogId, target);
        return changeDestination(db, partsOf(system), { ...change, catalogId });
      });
      print(changed, () => [`Changed destination ${id}.`]);
    });
}

function listCommand(destination: Command, { withCatalog, print }: CommandContext): void {
  destination
    .command("list")
    .description("list a catalog's destinations and their health")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog }: InCatalog) => {
      const destinations = await withCatalog(catalog, async ({ id }, { db, encryption }) =>
        listDestinationBodies(db, encryption, id),
      );
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

function testCommand(destination: Command, { withCatalog, print, endWith }: CommandContext): void {
  destination
    .command("test")
    .description("show the host key, or log in and write an empty file; exits 6 if it does not work")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: InCatalog) => {
      checkId(id);
      const tested = await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const tried = await settingsToTest(system.db, partsOf(system), { catalogId, id });
        return testDestination(system.senders, { ...tried, signal: system.stopping });
      });
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

function removeCommand(destination: Command, { withCatalog, print }: CommandContext): void {
  destination
    .command("remove")
    .description("remove a destination and its receipts; delivered files stay")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: InCatalog) => {
      checkId(id);
      await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const target = { type: "destination", id } as const;
        const db = commandChanges("destination remove").recording(system.db, catalogId, target);
        await removeDestination(db, { catalogId, id });
      });
      print({ id, deleted: true }, () => [`Removed ${id}.`]);
    });
}

function checkId(id: string): string {
  if (isUuid(id)) return id;
  throw invalidRequest(`"${id}" is not a UUID. Take the id from shelfwire destination list.`);
}

const partsOf = ({ encryption, allow }: System) => ({ encryption, guard: { allow } });

const yesOrNo = (option: string, text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : choice(option, text, ["yes", "no"]) === "yes";

const MAX_BYTES_PER_S = 10_000_000_000;
const MAX_VANISHED_DAYS = 90;

function fieldsOf(options: Options): Omit<ChangedDestination, "id" | "settings"> {
  const { name, format, fileName, schedule, maxBytesPerS, vanishedDays, dailyAt, timeZone } = options;
  return defined({
    name,
    format: format === undefined ? undefined : choice("--format", format, FORMAT_NAMES),
    file_name: fileName,
    shards: yesOrNo("--shards", options.shards),
    max_bytes_per_s: maxBytesPerS === undefined ? undefined : bandwidth(maxBytesPerS),
    vanished_days: vanishedDays === undefined ? undefined : days(vanishedDays),
    schedule: schedule === undefined ? undefined : choice("--schedule", schedule, SCHEDULES),
    daily_at: dailyAt,
    time_zone: timeZone,
    enabled: yesOrNo("--enabled", options.enabled),
  });
}

const bandwidth = (text: string): number | null =>
  wholeNumberOrOff("--max-bytes-per-s", text, { max: MAX_BYTES_PER_S, off: "no limit" }) || null;

const days = (text: string): number =>
  wholeNumberOrOff("--vanished-days", text, { max: MAX_VANISHED_DAYS, off: "they are not sent" });

function kindsHelp(): string {
  const lines = kindBodies().flatMap(({ kind, label, fields }) => [
    `  ${kind} (${label})`,
    ...fields.map(({ name, help, secret }) => `    ${name.padEnd(18)} ${help}${secret ? " (secret)" : ""}`),
  ]);
  return ["", "Settings by kind, for --set:", "", ...lines, ""].join("\n");
}
