/** `shelfwire rules …`: a catalog's rules and category mappings as a file, which can live in version control. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { Type } from "typebox";
import type { Plan } from "../../contract/plans.ts";
import { type RuleSet, RuleSet as RuleSetSchema } from "../../contract/rules.ts";
import { findCategory } from "../../catalog/google-taxonomy.ts";
import { invalidRequest } from "../../errors.ts";
import { valueProblems } from "../../http/validation.ts";
import { counted } from "../../lib/counted.ts";
import { newId } from "../../lib/id.ts";
import {
  checkRules,
  type EffectsChange,
  type EffectStats,
  saveEffects,
} from "../../pipeline/enrich/rules.ts";
import type { PlanRequest } from "../../pipeline/plan/plan.ts";
import { enqueuePlan } from "../../store/plans.ts";
import { findRuleSet, listCategoryMappings, listRuleSets } from "../../store/rules.ts";
import { awaitRun } from "../await-run.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { changeLines, figureLines, guardLines } from "../plan-lines.ts";
import { table } from "../table.ts";

/** The file: rules, and what category paths mean; null: no category. */
type RulesFile = RuleSet & { readonly categories?: Readonly<Record<string, string | null>> };

export function rulesCommands(program: Command, context: CommandContext): void {
  const rules = program
    .command("rules")
    .description(
      "export and import a catalog's rules and category mappings as a file; list earlier versions",
    );
  exportCommand(rules, context);
  importCommand(rules, context);
  listCommand(rules, context);
}

function exportCommand(rules: Command, { withCatalog, io }: CommandContext): void {
  rules
    .command("export")
    .description("print the rules in force and the category mappings as JSON")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const file = await withCatalog(slug, async ({ id }, { db }): Promise<RulesFile> => {
        const stored = await findRuleSet(db, id);
        const mappings = await listCategoryMappings(db, id);
        const { rules: list }: RuleSet = stored ? (JSON.parse(stored.rules) as RuleSet) : { rules: [] };
        return {
          rules: list,
          categories: Object.fromEntries(mappings.map(({ path, category }) => [path, category])),
        };
      });
      io.out(`${JSON.stringify(file, null, 2)}\n`);
    });
}

type ImportOptions = { catalog: string; dryRun?: boolean; note?: string };

function importCommand(rules: Command, { withCatalog, print, io }: CommandContext): void {
  rules
    .command("import")
    .description(
      "replace rules and category mappings by those of a file and apply them; the feeds change with the next render",
    )
    .argument("<file>", "JSON as rules export prints it; - for standard input")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--dry-run", "store nothing and say what the file would change")
    .option("--note <text>", "why, for the list of versions")
    .action(async (path: string, { catalog: slug, dryRun = false, note }: ImportOptions) => {
      const text =
        path === "-" ? await io.input?.read() : await readFile(path, "utf8").catch(unreadable(path));
      const change = parseFile(text ?? "", path);
      if (dryRun) {
        const plan = await withCatalog(slug, async ({ id }, system) => {
          // Here, because the failure of a run does not list the problems.
          if (change.ruleSet) await checkRules(system.db, id, change.ruleSet);
          const runId = newId();
          const request: PlanRequest = { kind: "rules", change };
          await system.db.tx(async (tx) =>
            enqueuePlan(tx, { id: runId, catalogId: id, cause: "command" }, JSON.stringify(request)),
          );
          return (await awaitRun(system, io, runId)).run.stats as Plan;
        });
        return print(plan, () => planLines(plan));
      }
      const saved = await withCatalog(slug, async ({ id }, system) => {
        const fields = ["rules", ...(change.mappings ? ["categories"] : [])];
        const recorded = commandChanges("rules import").recording(system.db, id, { type: "rules", fields });
        const { version, runId } = await saveEffects(recorded, id, {
          ...change,
          note: note ?? null,
          keyId: null,
        });
        const { changed, refused } = (await awaitRun(system, io, runId)).run.stats as EffectStats;
        return { version, changed_items: changed, refused_values: refused };
      });
      print(saved, () => [
        `Version ${saved.version} is in force: ${counted(saved.changed_items, "item has", "items have")} changed.`,
        ...(saved.refused_values > 0
          ? [
              `${counted(saved.refused_values, "value was", "values were")} refused; try --dry-run to see why.`,
            ]
          : []),
        `The feeds change with the next sync, or now: shelfwire render --catalog ${slug}`,
      ]);
    });
}

const unreadable = (path: string) => (): never => {
  throw invalidRequest(`The file ${path} cannot be read.`);
};

/** What categories are is checked below. */
const FILE = Type.Object(
  { ...RuleSetSchema.properties, categories: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);

/** A file has all rules. It has all decisions about category paths too, or none of them, and then these stay. */
function parseFile(text: string, path: string): EffectsChange {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalidRequest(`${path} is not JSON.`);
  }
  const problems = valueProblems(FILE, parsed);
  if (problems !== undefined) throw invalidRequest(`${path} is not a file of rules. ${problems}`);
  const { categories, ...ruleSet } = parsed as RulesFile;
  if (categories === undefined) return { ruleSet };
  if (!isTable(categories))
    throw invalidRequest(
      `${path} is not a file of rules: categories must be an object of category paths, each with a category of Google's taxonomy or null.`,
    );
  const decisions = Object.entries(categories).map(([own, category]) => ({
    path: own,
    category: knownId(category, own),
  }));
  return { ruleSet, mappings: { decisions, isComplete: true } };
}

const isTable = (value: unknown): value is Readonly<Record<string, string | null>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => one === null || typeof one === "string");

function knownId(category: string | null, path: string): string | null {
  const known = category === null ? null : findCategory(category);
  if (known === undefined)
    throw invalidRequest(`Google's taxonomy has no category ${JSON.stringify(category)} (for "${path}").`);
  return known === null ? null : String(known.id);
}

function planLines({ changed_items: items, refused_values: refused, examples, ...figures }: Plan): string[] {
  return [
    `${counted(items, "item")} would change. Nothing was stored.`,
    ...(refused > 0 ? [`${counted(refused, "value")} would be refused.`] : []),
    ...figureLines(figures),
    ...guardLines(figures),
    ...changeLines(examples),
  ];
}

const LISTED = 50;

function listCommand(rules: Command, { withCatalog, print }: CommandContext): void {
  rules
    .command("list")
    .description("list the newest versions of the rules")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const rows = await withCatalog(slug, async ({ id }, { db }) => listRuleSets(db, id, LISTED));
      const versions = rows.map(({ version, rules: text, note, keyId, createdAt }) => ({
        version,
        rules: (JSON.parse(text) as RuleSet).rules.length,
        note,
        saved_by: keyId,
        saved_at: createdAt.toISOString(),
      }));
      print({ versions }, () =>
        table(
          ["version", "rules", "saved", "note"],
          versions.map(({ version, rules: count, saved_at: at, note }) => [
            String(version),
            String(count),
            at,
            note ?? "",
          ]),
        ),
      );
    });
}
