/** `shelfwire guard …`: the limits of a catalog's publish guard. */
import type { Command } from "commander";
import { PublishGuardAnswer } from "../../contract/publish-guard.ts";
import { invalidRequest } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { heldRenderRoutes } from "../../http/routes/held-renders.ts";
import { guardFields } from "../../pipeline/publication/guard/settings.ts";
import { findHeldRender } from "../../store/renders.ts";
import { type ApiContext, callsIn, withCalls } from "../api.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";

export function guardCommands(program: Command, commandContext: CommandContext): void {
  const context = withCalls(commandContext, heldRenderRoutes);
  const guard = program
    .command("guard")
    .description("what a render may change before it is held: show and set the limits of the publish guard");
  showCommand(guard, context);
  setCommand(guard, context);
}

function showCommand(guard: Command, { call, print }: ApiContext): void {
  guard
    .command("show")
    .description("the limits in use")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const shown = await call(slug, "getPublishGuard", PublishGuardAnswer);
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

function setCommand(guard: Command, { withCatalog, command, print }: ApiContext): void {
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
      const isJudgedAgain = await withCatalog(slug, async ({ id: catalogId }, system) => {
        const call = callsIn(system, heldRenderRoutes, { catalogId, command: command() });
        await call("changePublishGuard", PublishGuardAnswer, change);
        return (await findHeldRender(system.db, catalogId)) !== undefined;
      });
      print({ changed: guardFields(change), is_judged_again: isJudgedAgain }, () => [
        isJudgedAgain
          ? "Changed. A render is held: the feeds are rendered again now, and judged by the new limits."
          : "Changed. It applies from the next render on.",
      ]);
    });
}

function readChange(words: readonly string[]) {
  const limits: Record<string, number | string | null> = {};
  const others: Record<string, unknown> = {};
  for (const word of words) {
    const [name = "", value] = word.split("=", 2);
    if (value === undefined && (name === "on" || name === "off")) others["enabled"] = name === "on";
    else if (name === "plain_calls") others[name] = value;
    else if (name === "expected_hosts")
      others[name] = value === "none" ? [] : value?.toLowerCase().split(",");
    else limits[name] = readLimit(name, value);
  }
  return { ...others, limits };
}

/** A share such as `30%` or `0.3`, a factor such as `2.5`, `off`, or `default`. */
function readLimit(name: string, text: string | undefined): number | string | null {
  if (text === "off") return "off";
  if (text === "default") return null;
  const [, digits, percent] = /^(\d{1,7}(?:\.\d{1,6})?)(%?)$/.exec(text ?? "") ?? [];
  if (digits === undefined)
    throw invalidRequest(
      `${name} needs a value: a share such as 30%, a factor such as 2.5, off, or default.`,
    );
  return percent === "%" ? Number(digits) / 100 : Number(digits);
}
