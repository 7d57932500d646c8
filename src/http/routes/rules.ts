/** /api/v1/rules: the catalog's rules, their versions, and a dry run. */
import type { Plan } from "../../contract/plans.ts";
import { RULE_ACTIONS, RULE_OPERATORS } from "../../contract/rules.ts";
import type { RuleSet } from "../../contract/rules.ts";
import {
  RuleFormAnswer,
  RulesAnswer,
  RuleVersionParams,
  RuleVersionsAnswer,
  SavedRulesAnswer,
  SaveRules,
} from "../../contract/rule-sets.ts";
import { AcceptedAnswer, PreferHeaders } from "../../contract/syncs.ts";
import { listedFields } from "../../enrich/rules/field-names.ts";
import { READY_MADE_RULES } from "../../enrich/rules/ready-made.ts";
import { AppError } from "../../errors.ts";
import { checkRules, ruleProblems, saveEffects } from "../../pipeline/enrich/rules.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { findRuleSet, listRuleSets, type RuleSetRow } from "../../store/rules.ts";
import type { Api, ApiDeps } from "../api.ts";
import { accepted, prefersAsync, waitForEffects, waitForPlan } from "../run-answer.ts";

const LISTED = 50;

export function ruleRoutes(api: Api, deps: ApiDeps): void {
  current(api, deps);
  versions(api, deps);
  form(api, deps);
  saving(api, deps);
}

function current(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/rules",
    scope: "read",
    operationId: "getRules",
    summary: "Get the rules",
    answers: { 200: RulesAnswer },
    handler: async ({ caller: { catalogId } }) => {
      const row = await findRuleSet(db, catalogId);
      const rules = row ? rulesIn(row) : [];
      const problems = await ruleProblems(db, catalogId, { rules });
      return { body: { data: { ...storedBody(row), rules, problems: [...problems] } } };
    },
  });
}

function versions(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/rules/versions",
    scope: "read",
    operationId: "listRuleVersions",
    summary: "List versions of the rules",
    description: "The 50 newest. GET /rules/versions/{version} has the rules of one.",
    answers: { 200: RuleVersionsAnswer },
    handler: async ({ caller: { catalogId } }) => {
      const rows = await listRuleSets(db, catalogId, LISTED);
      const listed = rows.map((row) => ({ ...storedBody(row), rules: rulesIn(row).length }));
      return { body: { data: { versions: listed } } };
    },
  });

  api.route({
    method: "GET",
    url: "/rules/versions/:version",
    scope: "read",
    operationId: "getRuleVersion",
    summary: "Get a version of the rules",
    description: "To bring it back, save its rules again.",
    params: RuleVersionParams,
    answers: { 200: RulesAnswer },
    handler: async ({ caller: { catalogId }, params: { version } }) => {
      const row = await findRuleSet(db, catalogId, Number(version));
      if (!row) throw new AppError("not_found", `The rules have no version ${version}.`);
      return { body: { data: { ...storedBody(row), rules: rulesIn(row), problems: [] } } };
    },
  });
}

/** Shown to shops that have not set a country. */
const EXAMPLE_COUNTRY = "US";

function form(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/rules/form",
    scope: "read",
    operationId: "getRuleForm",
    summary: "Get what rules are made of",
    description: "Fields, operators, actions, and rules for common wishes.",
    answers: { 200: RuleFormAnswer },
    handler: async ({ caller: { catalogId } }) => {
      const { country = EXAMPLE_COUNTRY, targetCountries = [] } =
        (await findCatalog(db, catalogId))?.settings ?? {};
      const fields = listedFields([...new Set([country, ...targetCountries])]);
      const data = {
        fields: fields.map(({ name, kind, values = [], target }) => ({
          name,
          kind,
          values,
          can_be_set: target !== undefined || name === "id",
        })),
        operators: RULE_OPERATORS,
        actions: RULE_ACTIONS,
        ready_made: READY_MADE_RULES,
      };
      return { body: { data } };
    },
  });
}

const rulesIn = ({ rules }: RuleSetRow) => [...(JSON.parse(rules) as RuleSet).rules];

function storedBody(row: RuleSetRow | undefined) {
  return {
    version: row?.version ?? 0,
    note: row?.note ?? null,
    saved_by: row?.keyId ?? null,
    saved_at: row?.createdAt.toISOString() ?? null,
  };
}

function saving(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PUT",
    url: "/rules",
    scope: "write",
    operationId: "saveRules",
    summary: "Save the rules",
    description:
      "Replaces all rules and applies them to the items; answers when that is done, or at once with `Prefer: respond-async`. The feeds change with the next sync or POST /feeds. With `dry_run` nothing is stored, and the answer says what would change.",
    body: SaveRules,
    headers: PreferHeaders,
    answers: { 200: SavedRulesAnswer, 202: AcceptedAnswer },
    problems: [409, 422],
    handler: async ({ caller, signal, headers, body, changeLog }) => {
      const { catalogId } = caller;
      const { rules, note = null, version: expected, dry_run: isDryRun = false } = body;
      if (isDryRun) {
        // Here, because the failure of a run does not name fields.
        await checkRules(deps.db, catalogId, { rules });
        const change = { ruleSet: { rules } };
        const plan: Plan = await waitForPlan({ ...deps, signal }, catalogId, { kind: "rules", change });
        return { body: { data: { version: null, applied: null, plan } } };
      }
      const recorded = changeLog.recording(deps.db, catalogId, { type: "rules", fields: ["rules"] });
      const keyId = caller.key.id;
      const saved = await saveEffects(recorded, catalogId, { ruleSet: { rules }, note, keyId, expected });
      if (prefersAsync(headers.prefer)) return accepted(saved.runId, "runs");
      const applied = await waitForEffects({ ...deps, signal }, saved.runId);
      return { body: { data: { version: saved.version, applied, plan: null } } };
    },
  });
}
