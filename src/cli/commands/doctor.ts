/** `shelfwire doctor`: checks everything the service depends on, and says what to do. */
import type { Command } from "commander";
import type { Config } from "../../config.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import type { CommandContext } from "../context.ts";
import {
  addressesToReach,
  checkArchive,
  checkDatabase,
  checkDatabaseClock,
  checkDisk,
  checkFolder,
  checkLive,
  checkProcesses,
  checkReach,
  checkSecretKey,
  checkSessions,
  checkSettings,
  checkSources,
  checkTls,
  checkVersion,
  databaseFailure,
} from "../doctor-checks.ts";
import type { DoctorCheck } from "../doctor-checks.ts";
import { FINDINGS } from "../exit.ts";
import { configBesideServer } from "../find-server.ts";
import type { System } from "../system.ts";

/** Used if there is no source: a name reserved by RFC 2606. */
const DEFAULT_ADDRESS = "https://example.com/";

export function doctorCommand(
  program: Command,
  { io, isJson, withSystem, print, endWith }: CommandContext,
): void {
  program
    .command("doctor")
    .description("check settings, folder, disk, database, clock, DNS, outgoing requests, TLS and version")
    .option("--reach <url>", "the address to reach, instead of those of the sources")
    .action(async ({ reach }: { reach?: string }) => {
      const config = await configBesideServer(io, isJson());
      const checks = [checkVersion(), await checkSettings(config, io.env), ...(await machineChecks(config))];
      const pooled = await checkSessions(config);
      checks.push(...pooled);
      try {
        // Behind such a pooler the other checks of the database would take locks in sessions of others.
        if (pooled.length === 0)
          await withSystem(async (system) => {
            const addresses = await addressesOf(system, reach);
            checks.push(
              await checkDatabase(system),
              await checkSecretKey(system),
              await checkDatabaseClock(system),
              await checkProcesses(system),
              await checkLive(system),
              ...(await checkArchive(system)),
              await checkSources(system),
              ...(await Promise.all(addresses.map(async (address) => checkReach(system, address)))).flat(),
            );
          });
      } catch (error) {
        if (error instanceof AppError && error.code === "invalid_request") throw error;
        checks.push(databaseFailure(error));
      }
      checks.push(await checkTls(config));
      print({ checks }, () => checks.flatMap(lines));
      if (checks.some(({ state }) => state === "fail")) endWith(FINDINGS);
    });
}

async function machineChecks(config: Config): Promise<readonly DoctorCheck[]> {
  const folder = await checkFolder(config);
  return folder.state === "ok" ? [folder, await checkDisk(config)] : [folder];
}

async function addressesOf(system: System, reach: string | undefined): Promise<readonly string[]> {
  if (reach !== undefined && !/^https?:$/.test(URL.parse(reach)?.protocol ?? ""))
    throw invalidRequest(`--reach must be an http or https address, not "${reach}".`);
  if (reach !== undefined) return [reach];
  const addresses = await addressesToReach(system);
  return addresses.length > 0 ? addresses : [DEFAULT_ADDRESS];
}

const lines = ({ check, state, found, advice }: DoctorCheck): readonly string[] => [
  `${state.padEnd(4)}  ${check.padEnd(10)}  ${found}`,
  ...(advice === null ? [] : [`                  → ${advice}`]),
];
