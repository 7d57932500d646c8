/**
 * Encrypts stored secrets (feed tokens, shop credentials): AES-256-GCM with a key derived from SECRET_KEY. The purpose
 * is authenticated: a value that is moved to another column cannot be decrypted. Layout: version, 12 bytes nonce, 16
 * bytes tag, text.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";

export type Encryption = {
  readonly encrypt: (text: string, purpose: string) => Buffer;
  readonly decrypt: (encrypted: Buffer, purpose: string) => string;
};

const VERSION = 1;
const HEAD = 1 + 12 + 16;

export function createEncryption(secretKey: string): Encryption {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "shelfwire seal v1", 32));

  return {
    encrypt: (text, purpose) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
    },
    decrypt: (encrypted, purpose) => {
      try {
        if (encrypted[0] !== VERSION) throw new Error(`unknown encryption version ${encrypted[0]}`);
        const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(1, 13))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(encrypted.subarray(13, HEAD));
        return Buffer.concat([decipher.update(encrypted.subarray(HEAD)), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new AppError(
          "config_invalid",
          "A stored secret cannot be decrypted with this SECRET_KEY. Start with the key it was encrypted with, or enter the secret again.",
          { cause },
        );
      }
    },
  };
}
