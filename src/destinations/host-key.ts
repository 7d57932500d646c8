/**
 * Pinned host keys. A key is written as its type and OpenSSH's fingerprint, `ssh-ed25519 SHA256:…`; the type may be
 * omitted. If a server has several keys, the type makes it prove the pinned key.
 */
import { createHash } from "node:crypto";

export type HostKey = { readonly type: string; readonly fingerprint: string };

const HOST_KEY = /^(?:([\w@.-]{1,100}) )?(SHA256:[A-Za-z0-9+/]{43})=?$/;

/** Returns undefined if the text is not a host key. The type is null if the text does not name it. */
export function parseHostKey(
  text: string,
): { readonly type: string | null; readonly fingerprint: string } | undefined {
  const [, type, fingerprint] = HOST_KEY.exec(text.trim()) ?? [];
  return fingerprint === undefined ? undefined : { type: type ?? null, fingerprint };
}

export const hostKeyText = ({ type, fingerprint }: HostKey): string => `${type} ${fingerprint}`;

/** Reads a key as the server sends it: the length of the type's name, the name, and the rest. */
export function hostKeyOf(key: Buffer): HostKey {
  const length = key.length < 4 ? 0 : key.readUInt32BE(0);
  const digest = createHash("sha256").update(key).digest("base64").replace("=", "");
  return { type: key.toString("latin1", 4, 4 + Math.min(length, 100)), fingerprint: `SHA256:${digest}` };
}

/** The algorithms by which a server proves a key of this type. */
export function algorithmsOf(type: string): readonly string[] {
  return type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : [type];
}
