/** The change log of commands, under the name of the system user who runs them. */
import { userInfo } from "node:os";
import { changeLogOf } from "../setup/changes.ts";
import type { ChangeLog } from "../setup/changes.ts";

/** `command` is what was typed, without arguments: `source add`. */
export const commandChanges = (command: string): ChangeLog =>
  changeLogOf({ actor: { kind: "cli", name: commandUser() }, call: command, requestId: null });

/** In a container, the user may have no name. */
export function commandUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
