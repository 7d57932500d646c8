/** The part of `ssh2` that is used here. The published types depend on an old version of the types of Node.js. */
declare module "ssh2" {
  import type { EventEmitter } from "node:events";
  import type { Duplex } from "node:stream";

  export type SftpError = Error & { readonly code?: number };
  type Done = (error?: SftpError | null) => void;
  type Result<T> = (error: SftpError | null | undefined, result: T) => void;

  export type Stats = { readonly size: number; readonly isDirectory: () => boolean };

  export type SFTPWrapper = EventEmitter & {
    open(path: string, flags: string, callback: Result<Buffer>): void;
    write(
      handle: Buffer,
      bytes: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: Done,
    ): void;
    close(handle: Buffer, callback: Done): void;
    stat(path: string, callback: Result<Stats>): void;
    readdir(path: string, callback: Result<readonly { readonly filename: string }[]>): void;
    unlink(path: string, callback: Done): void;
    rename(from: string, to: string, callback: Done): void;
    /** Throws if the server does not have the extension. */
    ext_openssh_rename(from: string, to: string, callback: Done): void;
    ext_openssh_statvfs(
      path: string,
      callback: Result<{ readonly f_bavail: number; readonly f_frsize: number }>,
    ): void;
  };

  export type ParsedKey = { readonly type: string; readonly isPrivateKey: () => boolean };

  export type ConnectConfig = {
    readonly sock: Duplex;
    readonly username: string;
    readonly password?: string;
    readonly privateKey?: string;
    readonly passphrase?: string;
    readonly tryKeyboard?: boolean;
    readonly readyTimeout?: number;
    readonly hostVerifier: (key: Buffer) => boolean;
    readonly algorithms?: { readonly serverHostKey?: { readonly prepend: readonly string[] } };
  };

  export class Client extends EventEmitter {
    connect(config: ConnectConfig): this;
    sftp(callback: Result<SFTPWrapper>): this;
    end(): this;
    destroy(): this;
  }

  const ssh2: {
    readonly Client: typeof Client;
    readonly utils: {
      readonly parseKey: (
        key: string | Buffer,
        passphrase?: string,
      ) => ParsedKey | readonly ParsedKey[] | Error;
    };
  };
  export default ssh2;
}
