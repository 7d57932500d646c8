/** Explains the status codes of SFTP to a user. */
import type { SftpError } from "ssh2";
import { DeliveryFailure } from "./failure.ts";

export type SftpStep = {
  readonly host: string;
  readonly user: string;
  readonly folder: string;
  /** Completes "could not …". */
  readonly doing: string;
};

const NO_SUCH_FILE = 2;
const DENIED = 3;

/** Errors that are not an answer of the server, such as a lost connection, are returned unchanged. */
export function sftpFailure(error: SftpError, { host, user, folder, doing }: SftpStep): unknown {
  if (error instanceof DeliveryFailure) return error;
  const where = `${folder} on ${host}`;
  if (error.code === NO_SUCH_FILE) {
    const message = `There is no such place: ${host} could not ${doing}. Create ${where}, or correct the path.`;
    return new DeliveryFailure("folder_missing", message, error);
  }
  if (error.code === DENIED) {
    const message = `${host} does not let ${user} ${doing}. Ask its operator for permission to write to ${where}.`;
    return new DeliveryFailure("refused", message, error);
  }
  const message = `${host} could not ${doing} in ${where}: ${error.message}. The disk may be full, or a quota reached.`;
  return new DeliveryFailure("write_failed", message, error);
}
