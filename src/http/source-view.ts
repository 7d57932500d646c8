/** A source in the API: with its last run, and with the names of its secrets only. */
import type { Source } from "../contract/sources.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import { describeDeletions } from "../pipeline/deletions/describe.ts";
import type { OriginState } from "../pipeline/status/origins.ts";
import type { Run } from "../store/runs.ts";
import type { SourceRow } from "../store/sources.ts";
import { shownSettings } from "../setup/sources.ts";
import { statsBody, statusBody } from "./run-answer.ts";

export type DecryptSourceSecrets = (encrypted: Buffer | null) => Readonly<Record<string, string>>;

export function sourceView(
  source: SourceRow,
  { lastRun, state, reason }: { readonly lastRun: Run | undefined } & OriginState,
  decryptSecrets: DecryptSourceSecrets,
): Source {
  const { id, kind, name, enabled, intervalS, maxRemovedRatio, itemCount, createdAt, shopWebhooks } = source;
  const secrets = decryptSecrets(source.secretsEncrypted);
  const numbers = { intervalS, maxRemovedRatio, itemCount };
  const nextRunAt = enabled ? source.nextSyncAt : null;
  const checkedAt = shopWebhooks?.checkedAt == null ? null : new Date(shopWebhooks.checkedAt);
  return {
    ...withSnakeCase({ id, kind, name, enabled, ...numbers, nextRunAt, createdAt }),
    settings: shownSettings(source),
    // An address with a secret is among the settings, masked.
    secrets_set: Object.keys(secrets)
      .filter((secret) => source.settings[secret] === undefined)
      .sort(),
    shop_webhooks: shopWebhooks && withSnakeCase({ ...shopWebhooks, checkedAt }),
    deletions: describeDeletions(source, { ...source.settings, ...secrets }),
    state,
    reason,
    last_run: lastRun ? runView(lastRun) : null,
  };
}

function runView({ id, state, stats, error, finishedAt }: Run): NonNullable<Source["last_run"]> {
  const body = withSnakeCase({ runId: id, error, finishedAt });
  return { ...body, status: statusBody(state), stats: statsBody(stats) };
}
