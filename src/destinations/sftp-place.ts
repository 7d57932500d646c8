/** The functions of SFTP in one folder of a server. Rejections are `DeliveryFailure`s. */
import type { SftpError, Stats } from "ssh2";
import { sftpFailure } from "./sftp-failure.ts";
import type { SftpCall, SshLogin, SshSession } from "./ssh-session.ts";

export type SftpTarget = SshLogin & {
  /** The folder on the server. Empty means the folder after the login. */
  readonly folder: string;
};

const PART = ".part";
export const partOf = (name: string): string => `.${name}${PART}`;

export function isPartOfOurs(name: string, isOurs: (name: string) => boolean): boolean {
  return name.startsWith(".") && name.endsWith(PART) && isOurs(name.slice(1, -PART.length));
}

export type SftpFolder = ReturnType<typeof placeIn>;

const PERMISSION_DENIED = 3;

export function placeIn({ call }: SshSession, { host, folder, user }: SftpTarget) {
  const base = folder.endsWith("/") ? folder.slice(0, -1) : folder;
  const pathOf = (name: string): string => (folder === "" ? name : `${base}/${name}`);
  const itself = folder === "" ? "." : folder;
  const at = { host, user, folder: folder === "" ? "the folder of the login" : folder };
  /** `doing` completes "could not …". */
  const act = async <T = void>(doing: string, run: SftpCall<T>): Promise<T> =>
    call(doing, run).catch((error: SftpError) => {
      throw sftpFailure(error, { ...at, doing });
    });
  return {
    ...at,
    ...fileCalls(act, pathOf),
    /** Lists the names in the folder. If the server does not show them, nothing can be cleaned up. */
    list: async (): Promise<readonly string[]> => {
      const names = call<Entries>("list the folder", (sftp, done) => sftp.readdir(itself, done));
      const entries = await names.catch((error: SftpError) => {
        if (error.code === PERMISSION_DENIED) return [];
        throw sftpFailure(error, { ...at, doing: "list the folder" });
      });
      return entries.map(({ filename }) => filename);
    },
    /** Returns the free bytes that this user may write. Rejects if the server does not report them. */
    freeBytes: async (): Promise<number> => {
      const disk = await call<Disk>("tell how much space is free", (sftp, done) =>
        sftp.ext_openssh_statvfs(itself, done),
      );
      return disk.f_bavail * disk.f_frsize;
    },
  };
}

type Act = <T = void>(doing: string, run: SftpCall<T>) => Promise<T>;

const fileCalls = (act: Act, pathOf: (name: string) => string) => ({
  create: async (name: string) =>
    act<Buffer>(`create ${name}`, (sftp, done) => sftp.open(pathOf(name), "w", done)),
  write: async (handle: Buffer, bytes: Buffer, position: number) =>
    act("take more bytes", (sftp, done) => sftp.write(handle, bytes, 0, bytes.length, position, done)),
  close: async (handle: Buffer) => act("close the file", (sftp, done) => sftp.close(handle, done)),
  size: async (name: string): Promise<number> => {
    const stats = await act<Stats>(`look at ${name}`, (sftp, done) => sftp.stat(pathOf(name), done));
    return stats.size;
  },
  remove: async (name: string) => act(`remove ${name}`, (sftp, done) => sftp.unlink(pathOf(name), done)),
  rename: async (from: string, to: string) =>
    act(`rename ${from} to ${to}`, (sftp, done) => sftp.rename(pathOf(from), pathOf(to), done)),
  /** Replaces the target at once, if the server has the extension. */
  replace: async (from: string, to: string): Promise<"replaced" | "unsupported"> => {
    let isSupported = true;
    await act(`rename ${from} to ${to}`, (sftp, done) => {
      try {
        sftp.ext_openssh_rename(pathOf(from), pathOf(to), done);
      } catch {
        isSupported = false;
        done(null);
      }
    });
    return isSupported ? "replaced" : "unsupported";
  },
});

type Entries = readonly { readonly filename: string }[];
type Disk = { readonly f_bavail: number; readonly f_frsize: number };
