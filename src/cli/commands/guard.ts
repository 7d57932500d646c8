/** `shelfwire guard …`: the limits of a catalog's publish guard. */
import type { Command } from "commander";
import { GUARD_SIGNALS, type GuardSignal } from "../../contract/publish-guard.ts";
import { invalidRequest } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { changePublishGuard, describeGuard } from "../../pipeline/publication/guard/settings.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { choice } from "../options.ts";
import { table } from "../table.ts";

export function guardCommands(program: Command, context: CommandContext): void {
  const guard = program
    .command("guard")
    .description("what a render may change before it is held: show and set the limits of the publish guard");
  showCommand(guard, context);
  setCommand(guard, context);
}

function showCommand(guard: Command, { withCatalog, print }: CommandContext): void {
  guard
    .command("show")
    .description("the limits in use")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const shown = await withCatalog(slug, async ({ publishGuard }) =>
        Promise.resolve(describeGuard(publishGuard)),
      );
      print(shown, () => [
        ...(shown.enabled ? [] : ["The publish guard is off: every render is published.", ""]),
        shown.plain_calls === "hold"
          ? "API calls without guard are held outside these limits, too."
          : "API calls without guard publish even outside these limits.",
        ...(shown.expected_hosts.length === 0
          ? []
          : [`Links and images may move to ${shown.expected_hosts.join(", ")}.`]),
        "",
        ...table(
          ["signal", "limit", "from", "what"],
          shown.limits.map(({ signal, limit, min_items, unit, description }) => [
            signal,
            limit === null ? "off" : unit === "share" ? `${100 * limit} %` : `factor ${limit}`,
            counted(min_items, "item"),
            description,
          ]),
        ),
      ]);
    });
}

function setCommand(guard: Command, { withCatalog, print }: CommandContext): void {
  guard
    .command("set")
    .description(
      "change limits, such as items_removed=60% price_median=off image_host=default; what calls of the API without guard do: plain_calls=hold or publish; hosts that links and images are about to move to: expected_hosts=www.new.example,cdn.new.example, or none; or the guard as a whole: on, off",
    )
    .argument(
      "<limit=value...>",
      "limits with their values, plain_calls=hold or publish, expected_hosts=…, on, or off",
    )
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (words: readonly string[], { catalog: slug }: { catalog: string }) => {
      const change = readChange(words);
      const fields = [
        ...(change.enabled === undefined ? [] : ["enabled"]),
        ...(change.plain_calls === undefined ? [] : ["plain_calls"]),
        ...(change.expected_hosts === undefined ? [] : ["expected_hosts"]),
        ...Object.keys(change.limits).map((limit) => `limits.${limit}`),
      ];
      const { isJudgedAgain } = await withCatalog(slug, async ({ id }, { db }) => {
        const recorded = commandChanges("guard set").recording(db, id, { type: "publish-guard", fields });
        return changePublishGuard(recorded, id, change);
      });
      print({ changed: fields, is_judged_again: isJudgedAgain }, () => [
        isJudgedAgain
          ? "Changed. A render is held: the feeds are rendered again now, and judged by the new limits."
          : "Changed. It applies from the next render on.",
      ]);
    });
}

type LimitChanges = Partial<Record<GuardSignal, number | "off" | null>>;

type Change = {
  enabled?: boolean;
  plain_calls?: PlainCalls;
  expected_hosts?: readonly string[];
  readonly limits: LimitChanges;
};
const PLAIN_CALLS = ["publish", "hold"] as const;
type PlainCalls = (typeof PLAIN_CALLS)[number];

function readChange(words: readonly string[]): Change {
  const change: Change = { limits: {} };
  for (const word of words) {
    const [name = "", value] = word.split("=", 2);
    if (value === undefined && (name === "on" || name === "off")) change.enabled = name === "on";
    else if (name === "plain_calls") change.plain_calls = choice("plain_calls", value ?? "", PLAIN_CALLS);
    else if (name === "expected_hosts") change.expected_hosts = readHosts(value ?? "");
    else change.limits[choice("The limit", name, GUARD_SIGNALS)] = readLimit(name, value);
  }
  return change;
}

function readHosts(text: string): readonly string[] {
  const hosts = text === "none" ? [] : text.toLowerCase().split(",");
  if (hosts.every((host) => /^[a-z0-9.-]{1,253}(:\d{1,5})?$/.test(host))) return hosts;
  throw invalidRequest(
    "expected_hosts is a list of hosts, such as www.new.example,cdn.new.example, or none.",
  );
}

/** A share such as `30%` or `0.3`, a factor such as `2.5`, `off`, or `default`. */
function readLimit(name: string, text: string | undefined): number | "off" | null {
  if (text === "off") return "off";
  if (text === "default") return null;
  const [, digits, percent] = /^(\d{1,7}(?:\.\d{1,6})?)(%?)$/.exec(text ?? "") ?? [];
  if (digits === undefined)
    throw invalidRequest(
      `${name} needs a value: a share such as 30%, a factor such as 2.5, off, or default.`,
    );
  return percent === "%" ? Number(digits) / 100 : Number(digits);
}
