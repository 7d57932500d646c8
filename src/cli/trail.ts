/** The trail of changes made by commands: under the name of the user of the system who runs them. */
import { userInfo } from "node:os";
import { trailOf } from "../setup/changes.ts";
import type { Trail } from "../setup/changes.ts";
import type { RegisteredWebhook } from "../contract/webhooks.ts";
import type { Db } from "../store/db.ts";

/** `command` is what was typed, without arguments: `source add`. */
export const commandTrail = (command: string): Trail =>
  trailOf({ actor: { kind: "cli", name: userName() }, call: command, requestId: null });

/** In a container, the user may have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

/** For `registerWebhook`, which makes the id itself. */
export const notingRegistration = (command: string, db: Db, catalogId: string): Db =>
  commandTrail(command).noting(db, catalogId, (made) => ({
    type: "webhook",
    id: (made as RegisteredWebhook).id,
    fields: ["url", "events"],
  }));
