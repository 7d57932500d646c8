/** `shelfwire sign-in`: a link that opens the console. */
import type { Command } from "commander";
import { createSignInLink, SIGN_IN_LIFETIME_S } from "../../setup/sessions.ts";
import type { CommandContext } from "../context.ts";

export function signInCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("sign-in")
    .description("print a link that opens the console with access to all catalogs; it works once")
    .action(async () => {
      const url = await withSystem(async ({ db, config }) => createSignInLink(db, config.baseUrl));
      print({ url, expires_in_s: SIGN_IN_LIFETIME_S }, () => [
        url,
        `It works once, within ${SIGN_IN_LIFETIME_S / 60} minutes.`,
      ]);
    });
}
